//! The list of configured models.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::{Deployment, Options};
use testkit::seed::MANAGE;

#[tokio::test]
async fn models_are_listed_with_their_prices_and_without_secrets() {
    let model = |name: &str| {
        json!({
            "name": name, "provider": "local", "protocol": "openai", "baseUrl": "http://models.test/v1",
            "apiKey": "model-secret", "model": "llama",
        })
    };
    let mut priced = model("priced");
    priced["prices"] = json!({ "prompt": "3", "completion": "0.25" });
    let models = json!({ "models": [priced, model("free")] }).to_string();
    let deployment = Deployment::with(Options { models: Some(models), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let listed = alice.get("/api/v2/models").await.expect(200);
    assert_snapshot!(listed, @r#"
    200 {
      "models": [
        {
          "id": "priced",
          "isDefault": true,
          "prices": {"cacheRead":0.0,"cacheWrite":0.0,"completion":0.25,"prompt":3.0},
          "provider": "local"
        },
        {"id":"free","isDefault":false,"prices":null,"provider":"local"}
      ]
    }
    "#);
    let text = listed.json().to_string();
    assert!(!text.contains("secret") && !text.contains("models.test"), "{text}");
}

#[tokio::test]
async fn a_deployment_without_models_lists_none() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    assert_eq!(alice.get("/api/v2/models").await.expect(200).json(), json!({ "models": [] }));
}
