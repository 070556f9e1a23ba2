#!/usr/bin/env bash
# node 26.10.0 (npm), with ICU 78.3.
#
# `toLocaleString` and `Intl.NumberFormat` round the shortest decimal that reads back as the number, `toFixed` the
# number's exact value; ECMA-402 (ToRawFixed) asks for the exact value, too. So two columns of one table can differ in
# their last digit, and a sum that was shown by one and checked by the other is wrong by a cent.
#
# Seen on 27 November 2026: 1.005 and 2.675, both below the middle as they are stored, become 1.01 and 2.68 by Intl,
# and 1.00 and 2.67 by toFixed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . node@26.10.0
cat > round.mjs <<'JS'
const format = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
for (const number of [1.005, 2.675]) {
  console.log(number, number.toFixed(20), format.format(number), number.toFixed(2));
}
JS
node_modules/.bin/node round.mjs > seen
cat > expected <<'SEEN'
1.005 1.00499999999999989342 1.01 1.00
2.675 2.67499999999999982236 2.68 2.67
SEEN
diff expected seen
echo "as seen on 27 November 2026"
