"""The parts of imports, made of those of the daemon when one is asked for: an idle daemon holds none of them."""

from memoryd.daemon.daemon import Daemon
from memoryd.daemon.imports.conversations import Conversations
from memoryd.daemon.imports.filing import Filing
from memoryd.daemon.imports.importer import Importer
from memoryd.daemon.journal.imported import ImportedFiles
from memoryd.daemon.journal.imports import Imports
from memoryd.daemon.slow_disk import SlowDisk


def importer_of(daemon: Daemon) -> Importer:
    imports, disk = Imports(daemon.journal), SlowDisk()
    return Importer(
        data=daemon.places.data,
        files=ImportedFiles(daemon.journal),
        conversations=Conversations(imports=imports, ingest=daemon.ingest, disk=disk),
        filing=lambda: Filing(
            imports=imports, ingest=daemon.ingest, runner=daemon.runner, commands=daemon.commands,
            user_memory=daemon.places.user_memory, disk=disk,
        ),
        make_due=lambda directory: daemon.upkeep.make_due(directory, daemon.clock()),
        look_again=daemon.follower.look_again,
    )  # fmt: skip
