"""Creates a project, opens a session, uploads a file and plans a card; prints the project's id."""

import io
import sys

from control import AuthenticatedClient
from control.api.cards import create_card
from control.api.projects import create_project, get_project, get_tree
from control.api.sessions import create_session
from control.models import CreateCardRequest, CreateProjectRequest, CreateSessionRequest
from data import AuthenticatedClient as DataClient
from data.api.files import upload_file
from data.models import UploadFileBody
from data.types import File

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True)

project = create_project.sync(client=client, body=CreateProjectRequest(name="Gear"))
path = str(project.id)
session = create_session.sync(path, client=client, body=CreateSessionRequest())
tree = get_tree.sync(path, client=client)
record = get_project.sync(path, client=client).project
model = next(node for node in tree.tree if node.name == "Model")

plane = session.data_plane
uploaded = upload_file.sync(
    record.owner_id,
    "me",
    f"{path}--{session.branch}",
    plane.connection_id,
    model.id,
    client=DataClient(base_url=plane.url, token=plane.token, raise_on_unexpected_status=True),
    body=UploadFileBody(file=File(payload=io.BytesIO(b"Thirty-two teeth."), file_name="teeth.txt")),
)
assert len(uploaded.object_.additional_properties) == 1, uploaded

card = create_card.sync(
    path,
    client=client,
    body=CreateCardRequest(name="Grind the teeth", effort=3),
    idempotency_key="first card",
)
assert card.card.name == "Grind the teeth", card
print(path)
