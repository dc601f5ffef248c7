"""The examples, run as they stand: what a person says in one session, the model of the next one is told."""

import asyncio
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from agents.testing import ScriptedModel, assistant_message
from pydantic_ai import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from support.installation import Installation, installed

EXAMPLES = Path(__file__).parents[2] / "examples"
SAID = "I prefer short commit messages."
MAX_LINES = 60


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("examples") / "home") as one:
        one.start()
        yield one


@pytest.fixture
def project(installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of an agent; another one in each test, with a memory of its own."""
    for name in ("HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, installation.env[name])
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def remembered(installation: Installation, project: Path) -> str:
    """What a new session is told, as soon as the run is done."""
    installation.idle()
    return str(installation.call("recall.snapshot", {"cwd": str(project)}).text)


def run(installation: Installation, *command: str) -> str:
    env = installation.env | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_plain_agent_remembers(installation: Installation, project: Path) -> None:
    told: list[tuple[str, str]] = []

    def model(system: str, prompt: str) -> str:
        told.append((system, prompt))
        return "Understood."

    plain = example("plain_agent")
    plain.main([f"{SAID} ", "Thank you."], model)
    assert "short commit messages" in remembered(installation, project)
    plain.main(["Write a commit message."], model)
    assert "short commit messages" not in told[0][0]
    assert "short commit messages" in told[2][0]
    assert told[2][1].endswith("Write a commit message.")


def test_the_pydantic_ai_agent_remembers(installation: Installation, project: Path) -> None:
    told: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        told.append(info.instructions or "")
        return ModelResponse(parts=[TextPart("Understood.")])

    agent = example("pydantic_ai_agent")
    said = "I prefer tabs over spaces."
    asyncio.run(agent.main([said, "Thank you."], FunctionModel(answer)))
    assert "tabs over spaces" in remembered(installation, project)
    asyncio.run(agent.main(["Write a function."], FunctionModel(answer)))
    assert "tabs over spaces" not in told[0]
    assert "tabs over spaces" in told[2]
    asyncio.run(agent.main(["hello"], "test"))


def test_the_agent_of_the_agents_sdk_remembers(installation: Installation, project: Path) -> None:
    agent = example("openai_agents_agent")
    first, second = (ScriptedModel([[assistant_message("Understood.")] for _ in range(n)]) for n in (2, 1))
    asyncio.run(agent.main(["I prefer pytest over unittest.", "Thank you."], first))
    assert "pytest over unittest" in remembered(installation, project)
    asyncio.run(agent.main(["Write a test."], second))
    assert "pytest over unittest" not in str(first.calls[0].system_instructions)
    assert "pytest over unittest" in str(second.calls[0].system_instructions)


def test_the_shell_agent_records_what_was_said_and_is_told_what_is_known(
    installation: Installation, project: Path
) -> None:
    installation.call(
        "memory.save", {"cwd": str(project), "name": "host", "type": "project", "content": "Staging is called zebra."}
    )
    said = 'Say "zebra" to me with a \\ in it'
    shown = run(installation, "sh", str(EXAMPLES / "shell_agent.sh"), said)
    assert "Staging is called zebra." in shown
    texts = [line.text for line in installation.call("history.list", {"cwd": str(project)}).items]
    assert texts == [said]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_node_agent_remembers(installation: Installation, project: Path) -> None:
    script = str(EXAMPLES / "node_agent.mjs")
    run(installation, "node", script, "I prefer yarn over npm.", "Thank you.")
    assert "yarn over npm" in remembered(installation, project)
    assert "yarn over npm" in run(installation, "node", script, "Add a package.")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_node_agent_finds_the_daemon_where_there_is_no_runtime_directory(
    installation: Installation, project: Path
) -> None:
    data = project / ("Library/Application Support" if sys.platform == "darwin" else ".local/share")
    (data / "memoryd" / "run").mkdir(parents=True)
    (data / "memoryd" / "run" / "memoryd.sock").symlink_to(installation.places.socket)
    command = ["node", str(EXAMPLES / "node_agent.mjs"), "Hello."]
    env = {"HOME": str(project), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_an_example_is_short(path: Path) -> None:
    assert path.is_dir() or len(path.read_text("utf-8").splitlines()) < MAX_LINES


def test_what_the_page_shows_runs_with_a_daemon_and_without(
    installation: Installation, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n)+", (EXAMPLES.parent / "docs" / "sdk.md").read_text("utf-8"), re.MULTILINE)
    shown = [textwrap.dedent(block) for block in blocks if block.lstrip().startswith("from memoryd")]
    assert len(shown) == 3
    for code in shown:
        exec(compile(code, "docs/sdk.md", "exec"), {})
    assert "short commit messages" in remembered(installation, project)
    monkeypatch.setenv("MEMORYD_SOCKET", str(project / "nobody"))
    for code in shown:
        exec(compile(code, "docs/sdk.md", "exec"), {})
