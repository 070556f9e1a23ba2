"""Creates a project, opens a session, uploads a file and plans a card; prints the project's id."""

import sys

sys.path += ["python-control", "python-data"]

import atelier_control as control
import atelier_data as data

url, key = sys.argv[1:]
client = control.ApiClient(control.Configuration(host=url, access_token=key))
projects = control.ProjectsApi(client)

project = str(projects.create_project(control.CreateProjectRequest(name="Gear")).id)
model = next(node for node in projects.get_tree(project).tree if node.name == "Model")
session = control.SessionsApi(client).create_session(project, create_session_request=control.CreateSessionRequest())

plane = session.data_plane
files = data.FilesApi(data.ApiClient(data.Configuration(host=plane.url, access_token=plane.token)))
uploaded = files.upload_file(
    session.owner_id,
    "me",
    f"{project}--{session.branch}",
    plane.connection_id,
    model.id,
    ("teeth.txt", b"Thirty-two teeth."),
)
assert len(uploaded.object) == 1, uploaded

card = control.CardsApi(client).create_card(
    project, control.CreateCardRequest(name="Grind the teeth", effort=3), idempotency_key="first card"
)
assert card.card.name == "Grind the teeth", card
print(project)
