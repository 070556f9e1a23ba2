//! Results of uploads, and deployments with other limits of conversions.

use nix::unistd::Pid;
use serde_json::Value;
use testkit::answer::Answer;
use testkit::deployment::{Deployment, Options};
use testkit::open_session::OpenSession;
use testkit::session::objects;
use testkit::upload::ASSEMBLY;

/// A PDF with these contents of pages, each the size of a stamp.
pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut objects = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned()];
    let kids: Vec<String> = (0..pages.len()).map(|number| format!("{} 0 R", 3 + 2 * number)).collect();
    objects.push(format!("<</Type/Pages/Count {}/Kids[{}]>>", pages.len(), kids.join(" ")));
    for (number, content) in pages.iter().enumerate() {
        let own = 4 + 2 * number;
        objects.push(format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 36]/Contents {own} 0 R>>"));
        objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
    }
    let mut file = "%PDF-1.4\n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        file.push_str(&format!("{number} 0 obj{object}endobj\n"));
    }
    file.push_str("trailer<</Root 1 0 R>>\n%%EOF\n");
    file.into_bytes()
}

/// A STEP file with much geometry, which takes a reader without compiler optimisation some time.
pub(crate) fn long() -> String {
    with_points(1_000_000)
}

/// A STEP file with this many further points.
pub(crate) fn with_points(count: usize) -> String {
    let (head, tail) = ASSEMBLY.split_at(ASSEMBLY.find("#10=").unwrap());
    format!("{head}{}{tail}", "#9=CARTESIAN_POINT('',(0.,0.,0.));\n".repeat(count))
}

/// The worker processes of the first data plane that convert files.
pub(crate) fn workers(opened: &OpenSession) -> Vec<Pid> {
    workers_of(opened, b"convert")
}

/// The worker processes of the first data plane, by the subcommand that they run.
pub(crate) fn workers_of(opened: &OpenSession, subcommand: &[u8]) -> Vec<Pid> {
    // Before its exec it is still the process that waits for that.
    let is_one = |child: &Pid| {
        let arguments = std::fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        arguments.split(|byte| *byte == 0).any(|argument| argument == subcommand)
    };
    opened.deployment.data[0].process().children().into_iter().filter(is_one).collect()
}

/// A deployment whose data plane has these settings.
pub(crate) async fn limited(settings: &[(&'static str, &str)]) -> OpenSession {
    let environment = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    OpenSession::on(Deployment::with(Options { environment, ..Options::default() }).await).await
}

/// The properties of an object.
pub(crate) async fn data(opened: &OpenSession, object: &Value) -> Value {
    let id = object["id"].as_str().unwrap();
    let path = format!("/api/v2/projects/{}/objects/{id}", opened.project);
    opened.caller.get(&path).await.expect(200).json()["object"]["data"].clone()
}

/// The single reference of an unconverted file, and the reason.
pub(crate) async fn failure(opened: &OpenSession, answer: &Answer) -> String {
    let objects = objects(answer);
    let [only] = objects.as_slice() else { panic!("{answer}") };
    assert_eq!(only["kind"], "reference", "{answer}");
    let conversion = data(opened, only).await["conversion"].clone();
    assert_eq!(conversion["status"], "failed", "{answer}");
    assert_eq!(only["conversion"], conversion, "the answer says it, too");
    assert!(!conversion["message"].as_str().unwrap().is_empty());
    conversion["code"].as_str().unwrap().to_owned()
}
