"""Uploads a file with tuspy: two pieces with checksums, then, after a line with a token, the rest by another client."""

import sys

from tusclient.client import TusClient

endpoint, token, file = sys.argv[1:]
client = TusClient(endpoint, headers={"Authorization": f"Bearer {token}"})
uploader = client.uploader(
    file, chunk_size=1024 * 1024, metadata={"filename": "gear.step"}, upload_checksum=True
)
uploader.upload_chunk()
uploader.upload_chunk()
print(f"paused {uploader.url}", flush=True)
token = sys.stdin.readline().strip()
client = TusClient(endpoint, headers={"Authorization": f"Bearer {token}"})
uploader = client.uploader(
    file, url=uploader.url, chunk_size=1024 * 1024, retries=60, retry_delay=1, upload_checksum=True
)
uploader.upload()
print(f"done {uploader.url}", flush=True)
