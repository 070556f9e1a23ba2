// Creates a project, opens a session, uploads a file and plans a card; prints the project's id.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	control "atelier_control"
	data "atelier_data"
)

func main() {
	url, key := os.Args[1], os.Args[2]
	ctx := context.Background()
	configuration := control.NewConfiguration()
	configuration.Servers = control.ServerConfigurations{{URL: url}}
	client := control.NewAPIClient(configuration)
	as := context.WithValue(ctx, control.ContextAccessToken, key)

	named := control.NewCreateProjectRequest()
	named.SetName("Gear")
	created, _, err := client.ProjectsAPI.CreateProject(as).CreateProjectRequest(*named).Execute()
	check(err)
	project := created.Id
	tree, _, err := client.ProjectsAPI.GetTree(as, project).Execute()
	check(err)
	model := ""
	for _, node := range tree.Tree {
		if node.Name == "Model" {
			model = node.Id
		}
	}
	session, _, err := client.SessionsAPI.CreateSession(as, project).
		CreateSessionRequest(*control.NewCreateSessionRequest()).Execute()
	check(err)

	plane := session.DataPlane
	granted := data.NewConfiguration()
	granted.Servers = data.ServerConfigurations{{URL: plane.Url}}
	files := data.NewAPIClient(granted).FilesAPI
	check(os.WriteFile("teeth.txt", []byte("Thirty-two teeth."), 0o600))
	teeth, err := os.Open("teeth.txt")
	check(err)
	with := context.WithValue(ctx, data.ContextAccessToken, plane.Token)
	branch := fmt.Sprintf("%s--%s", project, session.Branch)
	uploaded, _, err := files.UploadFile(with, session.OwnerId, "me", branch, plane.ConnectionId, model).
		File(teeth).Execute()
	check(err)
	if len(uploaded.Object) != 1 {
		panic(fmt.Sprint(uploaded))
	}

	card := control.NewCreateCardRequest("Grind the teeth")
	card.SetEffort(3)
	planned, _, err := client.CardsAPI.CreateCard(as, project).
		CreateCardRequest(*card).IdempotencyKey("first card").Execute()
	check(err)
	if planned.Card.Name != "Grind the teeth" {
		panic(fmt.Sprint(planned))
	}
	fmt.Println(project)
}

func check(err error) {
	var answer interface{ Body() []byte }
	if errors.As(err, &answer) {
		panic(fmt.Sprintf("%v: %s", err, answer.Body()))
	}
	if err != nil {
		panic(err)
	}
}
