"""Session documents between the journal and the world: exported, imported, copied."""

import asyncio
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoryd import fsio
from memoryd.daemon.ingest import Ingest
from memoryd.daemon.journal.documents import SessionDocuments
from memoryd.errors import BadEvent, Conflict, LimitExceeded, NotFound, PathRefused
from memoryd.ipc import documents
from memoryd.ipc.documents import MAX_DOCUMENT_BYTES, MAX_INLINE_BYTES, SessionDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    events: int
    bytes: int
    document: SessionDocument | None  #: None: it went to a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of the events of a document."""

    host: str
    session_id: str
    added: int
    known: int
    removed: int
    off_record: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """Carries sessions out and in."""

    documents: SessionDocuments
    ingest: Ingest
    data: Path  #: nothing is written into memoryd's own directory
    wake: Callable[[], None]  #: of what looks for new events

    async def export(self, host: str, session_id: str, file: Path | None, *, force: bool = False) -> Exported:
        """Export a session to a file, or into the answer.

        :param force: in place of a file that stands there
        :raises LimitExceeded: too large for an answer; name a file
        :raises PathRefused: the file is no place to write to
        :raises Conflict: a file stands there
        """
        return await asyncio.to_thread(self._export, host, session_id, file, force)

    def _export(self, host: str, session_id: str, file: Path | None, force: bool) -> Exported:
        document = self.documents.of(host, session_id)
        content = document.model_dump_json().encode() + b"\n"
        if file is not None:
            self._write(file, content, force)
        elif len(content) > MAX_INLINE_BYTES:
            raise LimitExceeded(f"{host}/{session_id} is a document of {len(content)} bytes: export it to a file")
        return Exported(
            events=len(document.events), bytes=len(content), document=document if file is None else None
        )  # fmt: skip

    def _write(self, file: Path, content: bytes, force: bool) -> None:
        if file.resolve().is_relative_to(self.data.resolve()):
            raise PathRefused(f"{file} is in memoryd's own directory; export to another place")
        if file.exists() and not file.is_file():
            raise PathRefused(f"{file} is no file; name one")
        try:
            (fsio.write_durable if force else fsio.create_durable)(file, content)
        except FileExistsError as error:
            raise Conflict(f"{file} is there already; name another file, or let it be replaced (`force`)") from error
        except FileNotFoundError as error:
            raise NotFound(f"there is no folder {file.parent}; make it first") from error

    async def take(self, document: SessionDocument | None, file: Path | None) -> Imported:
        """Import a session: everything that is new of it in one transaction, or nothing.

        :raises BadEvent: no document, or one that is wrong; nothing was imported
        """
        if document is not None and file is None:
            found = document
        elif file is not None and document is None:
            found = await asyncio.to_thread(_read, file)
        else:
            raise BadEvent("give a document or a file, one of the two")
        events = await asyncio.to_thread(found.as_events)
        head = found.session
        arrivals = await self.ingest.admit(events, headless=head.headless)
        appended = await asyncio.to_thread(self.documents.add, head, arrivals) if arrivals else []
        if any(not one.duplicate for one in appended):
            self.ingest.after_append(events[0], appended, arrivals[0].binding, None)
            self.wake()
        return Imported(
            host=head.host, session_id=head.session_id, added=sum(not one.duplicate for one in appended),
            known=sum(one.duplicate and one.seq > 0 for one in appended),
            removed=sum(one.duplicate and one.seq == 0 for one in appended), off_record=len(events) - len(appended),
        )  # fmt: skip

    async def copy(self, host: str, session_id: str, new_id: str | None) -> tuple[str, int]:
        """Copy a session; returns the id of the copy and how many events it has."""
        ident = new_id or str(uuid.uuid4())
        events = await asyncio.to_thread(self.documents.copy, host, session_id, ident)
        self.wake()
        return ident, events


def _read(file: Path) -> SessionDocument:
    """Read a document from a regular file."""
    try:
        fd = fsio.open_regular(file, follow=True)
    except fsio.Irregular as error:
        raise PathRefused(f"{file} is no file; name one") from error
    except OSError as error:
        raise NotFound(f"cannot read {file}: {error.strerror}") from error
    try:
        if (size := os.fstat(fd).st_size) > MAX_DOCUMENT_BYTES:
            raise LimitExceeded(f"{file} holds {size} bytes, a document at most {MAX_DOCUMENT_BYTES}")
        content = fsio.read_all(fd)
    finally:
        os.close(fd)
    return documents.read(content)
