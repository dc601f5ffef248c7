"""The parts of the archives, made of those of the daemon when one is asked for: an idle daemon holds none of them."""

from memoryd.daemon.archive.archives import Archives
from memoryd.daemon.archive.contents import Reader
from memoryd.daemon.archive.exporting import Exporter
from memoryd.daemon.archive.git import GitHistory
from memoryd.daemon.archive.importing import Importer
from memoryd.daemon.daemon import Daemon


def archives_of(daemon: Daemon) -> Archives:
    places, history, shelf, clock = daemon.places, daemon.history, daemon.shelf, daemon.clock
    return Archives(
        shelf=shelf,
        exporter=Exporter(places=places, history=history, shelf=shelf, clock=clock),
        reader=Reader(places=places, history=history, off_record=daemon.off_record.covers),
        importer=Importer(places=places, runs=daemon.runs, history=history, shelf=shelf, clock=clock),
        git=GitHistory(places=places, history=history, versions=daemon.runs.versions, clock=clock),
        after_import=daemon.after_import,
    )
