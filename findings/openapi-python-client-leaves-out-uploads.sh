#!/usr/bin/env bash
# openapi-python-client 0.29.1 (PyPI).
#
# An operation whose body has a media type that the generator doesn't know (application/zip,
# application/offset+octet-stream) gets no function at all, though its schema is a plain binary string, and the program
# still ends with 0: a build goes on with a client that can't upload. `content_type_overrides` of its configuration, with
# application/octet-stream as the other name, makes it generate them; answers of unknown types cost nothing.
#
# Seen on 27 November 2026: exit code 0 with one function of three; three with the overrides.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv packages
packages/bin/pip install --quiet openapi-python-client==0.29.1
cat > document.json <<'JSON'
{"openapi": "3.1.0", "info": {"title": "Files", "version": "1"}, "paths": {
  "/events": {"get": {"operationId": "followEvents", "responses": {"200": {"description": "Events.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}}}}}},
  "/pieces": {"patch": {"operationId": "sendPiece", "requestBody": {"required": true,
    "content": {"application/offset+octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
    "responses": {"204": {"description": "Stored."}}}},
  "/archives": {"put": {"operationId": "sendArchive", "requestBody": {"required": true,
    "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}},
    "responses": {"204": {"description": "Stored."}}}}
}}
JSON
cat > overrides.yaml <<'YAML'
content_type_overrides:
  application/zip: application/octet-stream
  application/offset+octet-stream: application/octet-stream
YAML
generate() {
    packages/bin/openapi-python-client generate --path document.json --meta none --output-path "$@" > /dev/null 2>&1
    echo "exit code $?"
    find "$1" -path '*/default/*.py' ! -name '__init__.py' -exec basename {} .py \; | sort
}
{
    generate plain
    generate overridden --config overrides.yaml
} > seen
cat > expected <<'SEEN'
exit code 0
follow_events
exit code 0
follow_events
send_archive
send_piece
SEEN
diff expected seen
echo "as seen on 27 November 2026"
