"""The papers' simulations at full size: commands, and the summaries they gave.

    python -m calibtutor.reproductions.local --jobs 2 --folder local-runs

keeps blocks of results in the folder as it goes (a second run goes on where the first one stopped) and at the end
writes `summary.json`. The summary that is stored beside `local.py` was made by this command, and the others by those
of `many_classes`, `networks`, `shift`, `type_one` and `widmann`.
"""
