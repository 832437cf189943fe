#!/usr/bin/env bash
# Pyodide 314.0.7: a package whose sha256 in the lock file is "" is not loaded, and nobody says why.
#
# Expected: "" is what pyodide-lock 0.1.2, which writes such files, has by default ("no hash known"): load without a check,
# or an error that names the package and the hash. Seen: `await loadPackage("six")` ends without an error, the package is
# not loaded, and errorCallback gets "Cannot read properties of null (reading 'map')".
# For whom it matters: whoever adds a wheel of their own to a lock file. With its hash the same wheel loads.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q pyodide-lock==0.1.2
"$folder/venv/bin/python" -m pip download -q --no-deps -d "$folder" six==1.17.0
"$folder/venv/bin/python" -c "from pyodide_lock import PackageSpec as P; assert P.model_fields['sha256'].default == '', 'it has changed'"
cd "$folder"
npm pack --silent pyodide@314.0.7 > name
tar -xzf "$(cat name)"
mv six-*.whl package
cd package
cat > seen.mjs <<'JS'
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { loadPyodide } from "./pyodide.mjs";

const lock = JSON.parse(readFileSync("pyodide-lock.json")), file = "six-1.17.0-py2.py3-none-any.whl", seen = [];
const right = createHash("sha256").update(readFileSync(file)).digest("hex");
for (const sha256 of [right, ""]) {
    Object.assign(lock.packages.six, {file_name: file, sha256});
    const pyodide = await loadPyodide({lockFileContents: JSON.stringify(lock), packageBaseUrl: `${process.cwd()}/`});
    let said = "nothing";
    await pyodide.loadPackage("six", {messageCallback: () => {}, errorCallback: text => { said = text; }});
    seen.push(`sha256 "${sha256.slice(0, 6)}": loaded [${Object.keys(pyodide.loadedPackages)}], said: ${said}`);
}
console.log(seen.join("\n"));
const stated = [`sha256 "${right.slice(0, 6)}": loaded [six], said: nothing`,
                `sha256 "": loaded [], said: Cannot read properties of null (reading 'map')`];
if (seen.join() !== stated.join()) { throw new Error("it has changed"); }
JS
node seen.mjs
echo "as stated above"
