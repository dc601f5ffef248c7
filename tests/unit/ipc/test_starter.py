"""The script by which a hook starts the daemon."""

from pathlib import Path

from memoryd.ipc import places, starter


def test_it_holds_settings_and_no_key_whatever_its_variable_is_called() -> None:
    env = {
        "HOME": "/home/u", "MEMORYD_AGENT__KIND": "model", "MEMORYD_MODEL_KEY": "hush-1", "OPENAI_API_KEY": "hush-2",
        "MEMORYD_CHILD": "1",
    }  # fmt: skip
    text = starter.text(places.find(env), Path("/usr/bin/python3"), env)
    assert "MEMORYD_AGENT__KIND=model" in text
    assert "hush" not in text
    assert "MEMORYD_CHILD" not in text
