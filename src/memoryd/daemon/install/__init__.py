"""memoryd in the hosts' configuration: planned, shown, written, taken out to the byte."""

from memoryd.daemon.install.changes import Change, Plan, carry_out
from memoryd.daemon.install.installer import INSTALLABLE, Installer
from memoryd.daemon.install.targets import Handler, Target, asks_for

__all__ = ["INSTALLABLE", "Change", "Handler", "Installer", "Plan", "Target", "asks_for", "carry_out"]
