"""Whose words a line is: what stands below a line that ends with a colon is often pasted."""

from memoryd.worker.agents.rules.patterns import Language
from memoryd.worker.agents.rules.sentences import Sentence


class Ownership:
    """The state between two lines of one prompt."""

    def __init__(self) -> None:
        self.foreign = False
        self.under_heading = False  #: of the user's own, who announced rules
        self._to_the_end = False  #: a blank line ends a block, but not a text to work on
        self._begun = False
        self._blanks = 0

    def blank_line(self) -> None:
        """A blank line ends a block; two before it has begun mean that `own_words` took it out."""
        self.under_heading = False
        self._blanks += 1
        ended = not self._to_the_end if self._begun else self._blanks > 1
        self.foreign = self.foreign and not ended

    def line(self) -> None:
        """Any other line."""
        self._blanks = 0
        self._begun = self._begun or self.foreign

    def text_follows(self) -> None:
        """What follows is nobody's word, to the end of the prompt, whatever `own_words` took out of it."""
        self.foreign = self._to_the_end = self._begun = True

    def line_ends(self, sentence: Sentence, language: Language) -> None:
        """Only a heading of the user's own makes the lines below a colon theirs."""
        if not sentence.text.endswith((":", "：")):
            return
        material = bool(language.material.match(sentence.masked))
        if language.heading.match(sentence.masked) and not material:
            self.under_heading = True
        else:
            self.foreign, self._to_the_end, self._begun = True, material, False
