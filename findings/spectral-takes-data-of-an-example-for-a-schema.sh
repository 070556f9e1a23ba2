#!/usr/bin/env bash
# @stoplight/spectral-cli 6.16.3 (npm), ruleset `spectral:oas`.
#
# The rule `oas3-valid-schema-example` takes every object of a document that has a member `default` and a member `type`
# for a schema with a default, also where the object is data: the value of an example. So an API whose resources have
# members of these names, as a field has that people define, can't show one in its document without an error. With
# another name than `default` the same document is clean.
#
# Seen on 29 November 2026: an error at `components.schemas.Field.examples[0].default`, none with `default_value`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true}' > package.json
npm install --silent --no-fund --no-audit @stoplight/spectral-cli@6.16.3 > /dev/null
echo 'extends: [[spectral:oas, off]]
rules: {oas3-valid-schema-example: error}' > .spectral.yaml
for member in default default_value; do
    cat > "$member.json" <<JSON
{
  "openapi": "3.1.0",
  "info": { "title": "Fields", "version": "1" },
  "paths": {},
  "components": { "schemas": { "Field": {
    "type": "object",
    "properties": { "type": { "type": "string" }, "$member": { "type": ["string", "null"] } },
    "examples": [{ "type": "choice", "$member": null }]
  } } }
}
JSON
    found=$( (npx spectral lint "$member.json" || true) | grep -o "components[^ ]*" || echo clean)
    echo "$member: $found"
done > output
cat output
diff - output <<'TEXT'
default: components.schemas.Field.examples[0].default
default_value: clean
TEXT
