"""The console script. A hook must cost little, so its path imports nothing else."""

import sys


def main() -> None:
    """Run the command line; never returns."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from memoryd.daemon.hooking import hook

        hook(sys.argv[2:])
    if sys.argv[1:] in (["serve"], ["serve", "--take-over"]):
        from memoryd.daemon.lean import OPENSSL, uncollected, without, without_plugins

        with without(*OPENSSL), without_plugins(), uncollected():
            from memoryd.daemon.serve import serve
        sys.exit(serve(take_over=len(sys.argv) > 2))
    from memoryd.daemon.cli.app import run

    run()
