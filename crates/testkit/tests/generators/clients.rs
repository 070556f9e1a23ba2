//! Clients that generators make of the documents compile, and create a project, open a session, upload a file and plan
//! a card.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testkit::environment::go;
use testkit::open_session::OpenSession;
use testkit::registry::{npm, pypi};
use testkit::seed::MANAGE_WITH_CARDS;

use crate::{PLANES, keep_client, kept, run};

/// The generators call version 5 as a library. Version 7, a native program, compiles in a fifth of its time.
const TYPESCRIPT: [&str; 2] = ["typescript@5.9.3", "typescript-native@npm:typescript@7.0.2"];
const TYPES: &[&str] = &[
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "@types/node@20.19.0",
    TYPESCRIPT[0],
    TYPESCRIPT[1],
];
const HEY_API: &[&str] = &["@hey-api/openapi-ts@0.99.0", "@types/node@20.19.0", TYPESCRIPT[0], TYPESCRIPT[1]];
const PYTHON: &[&str] =
    &["openapi-python-client==0.29.1", "httpx==0.28.1", "attrs==25.4.0", "python-dateutil==2.9.0"];
const TSC: &str = "node_modules/typescript-native/bin/tsc";
const TSCONFIG: &str = include_str!("tsconfig.json");
/// The program of the Go clients.
const JOB_OF_GO: &str = "job-of-go";
/// The folder of Debian's Go packages.
const GO_PACKAGES: &str = "/usr/share/gocode";
/// The program of OpenAPI Generator, and what its Python clients import.
const OPENAPI_GENERATOR: &[&str] = &[
    "openapi-generator-cli==7.26.0",
    "urllib3==2.5.0",
    "python-dateutil==2.9.0",
    "pydantic==2.12.3",
    "typing-extensions==4.15.0",
];
/// Media types of Git, of tus and of lines of JSON, which the Python generator reads as bytes.
const PYTHON_CONFIG: &str = "content_type_overrides:
  application/x-git-upload-pack-request: application/octet-stream
  application/x-git-upload-pack-result: application/octet-stream
  application/x-git-upload-pack-advertisement: application/octet-stream
  application/x-git-receive-pack-advertisement: application/octet-stream
  application/offset+octet-stream: application/octet-stream
  application/x-ndjson: application/octet-stream
  image/png: application/octet-stream
";

#[tokio::test]
async fn a_client_of_openapi_typescript_does_the_main_job() {
    let Some(folder) = npm(&kept("openapi-typescript"), TYPES) else { return };
    let job = include_str!("openapi-typescript.ts");
    keep_client(&folder, &[&TYPES.concat(), job, TSCONFIG], || {
        prepare(&folder);
        for (plane, _) in PLANES {
            let (document, types) = (format!("{plane}.json"), format!("{plane}.d.ts"));
            run(&folder, folder.join("node_modules/.bin/openapi-typescript"), &[&document, "-o", &types]);
        }
        compile(&folder, job);
    });
    does_the_main_job(&folder, "node", "out/job.js").await;
}

#[tokio::test]
async fn a_client_of_hey_api_does_the_main_job() {
    let Some(folder) = npm(&kept("hey-api"), HEY_API) else { return };
    let job = include_str!("hey-api.ts");
    keep_client(&folder, &[&HEY_API.concat(), job, TSCONFIG], || {
        prepare(&folder);
        for (plane, _) in PLANES {
            let document = format!("./{plane}.json");
            run(&folder, folder.join("node_modules/.bin/openapi-ts"), &["-i", &document, "-o", plane]);
        }
        compile(&folder, job);
    });
    does_the_main_job(&folder, "node", "out/job.js").await;
}

#[tokio::test]
async fn a_client_of_openapi_python_client_does_the_main_job() {
    let Some(python) = pypi(&kept("openapi-python-client"), PYTHON) else { return };
    let folder = kept("openapi-python-client");
    keep_client(&folder, &[&PYTHON.concat(), PYTHON_CONFIG], || {
        fs::write(folder.join("config.yaml"), PYTHON_CONFIG).unwrap();
        for (plane, _) in PLANES {
            let document = format!("{plane}.json");
            let arguments =
                ["-m", "openapi_python_client", "generate", "--path", &document, "--meta", "none"];
            let options = ["--output-path", plane, "--overwrite", "--config", "config.yaml"];
            let said = run(&folder, &python, &[&arguments[..], &options].concat());
            assert!(!said.contains("WARNING"), "{plane}: {said}");
        }
        run(&folder, &python, &["-m", "compileall", "-q", "control", "data"]);
    });
    fs::write(folder.join("job.py"), include_str!("openapi-python-client.py")).unwrap();
    does_the_main_job(&folder, &python, "job.py").await;
}

#[tokio::test]
async fn clients_of_openapi_generator_compile_and_those_of_python_typescript_and_go_do_the_main_job() {
    let Some(python) = pypi(&kept("openapi-generator-clients"), OPENAPI_GENERATOR) else { return };
    let Some(node) = npm(&kept("typescript"), &TYPESCRIPT) else { return };
    let folder = kept("openapi-generator-clients");
    let (job, job_of_go) = (include_str!("openapi-generator.ts"), include_str!("openapi-generator.go"));
    let has_go = if go().is_some() { "with Go" } else { "without Go" };
    keep_client(&folder, &[&OPENAPI_GENERATOR.concat(), job, job_of_go, has_go], || {
        generate(&folder, &python);
        for (plane, _) in PLANES {
            let import = format!("import atelier_{plane}, atelier_{plane}.api, atelier_{plane}.models");
            run(&folder.join(format!("python-{plane}")), &python, &["-c", &import]);
            let rust = folder.join(format!("rust-{plane}"));
            // The folder lies in that of another workspace.
            let manifest = fs::read_to_string(rust.join("Cargo.toml")).unwrap();
            fs::write(rust.join("Cargo.toml"), format!("{manifest}\n[workspace]\n")).unwrap();
            run(&rust, "cargo", &["check", "--quiet", "--target-dir", "../rust-target"]);
        }
        fs::write(folder.join("job.ts"), job).unwrap();
        let options = ["--strict", "--module", "commonjs", "--target", "es2022"];
        let options =
            [&options[..], &["--lib", "es2022,dom,dom.iterable", "--outDir", "out", "job.ts"]].concat();
        run(&folder, node.join(TSC), &options);
        compile_go(&folder, job_of_go);
    });
    does_the_main_job(&folder, "node", "out/job.js").await;
    fs::write(folder.join("job.py"), include_str!("openapi-generator.py")).unwrap();
    does_the_main_job(&folder, &python, "job.py").await;
    if folder.join(JOB_OF_GO).exists() {
        does_the_main_job(&folder, "env", &format!("./{JOB_OF_GO}")).await;
    } else {
        eprintln!("NOT TESTED: the Go client; it needs golang-go and golang-gopkg-validator.v2-dev");
    }
}

/// Generates the clients of all languages by one process: each would take two seconds to start.
fn generate(folder: &Path, python: &Path) {
    let mut configurations = Vec::new();
    for (plane, _) in PLANES {
        for language in ["python", "typescript-fetch", "go", "rust"] {
            let output = format!("{language}-{plane}");
            // Files of an earlier document would be compiled, too.
            let _absent = fs::remove_dir_all(folder.join(&output));
            // Go has no scopes for the values of an enum.
            let properties = json!({
                "packageName": format!("atelier_{plane}"), "withGoMod": false, "enumClassPrefix": true,
            });
            let configuration = json!({
                "inputSpec": format!("{plane}.json"), "generatorName": language, "outputDir": output,
                "additionalProperties": properties,
            });
            let name = format!("{output}.configuration.json");
            fs::write(folder.join(&name), configuration.to_string()).unwrap();
            configurations.push(name);
        }
    }
    let mut arguments = vec!["batch", "--fail-fast"];
    arguments.extend(configurations.iter().map(String::as_str));
    run(folder, python.with_file_name("openapi-generator-cli"), &arguments);
}

/// Compiles the Go clients and their program. Without Go, or without the package that the clients import, there is no
/// program.
fn compile_go(folder: &Path, job: &str) {
    let _absent = fs::remove_file(folder.join(JOB_OF_GO));
    let Some(go) = go().filter(|_| Path::new(GO_PACKAGES).join("src/gopkg.in/validator.v2").exists()) else {
        return;
    };
    let workspace = folder.join("go");
    // Files of an earlier document would be compiled, too.
    let _absent = fs::remove_dir_all(&workspace);
    fs::create_dir_all(workspace.join("src/job")).unwrap();
    fs::write(workspace.join("src/job/job.go"), job).unwrap();
    for (plane, _) in PLANES {
        fs::rename(folder.join(format!("go-{plane}")), workspace.join(format!("src/atelier_{plane}")))
            .unwrap();
    }
    let path = format!("GOPATH={}:{GO_PACKAGES}", workspace.display());
    let go = go.display().to_string();
    run(folder, "env", &["GO111MODULE=off", &path, &go, "build", "-o", JOB_OF_GO, "job"]);
}

/// Writes the settings that the compiler reads, and generators before it: how modules are imported.
fn prepare(folder: &Path) {
    fs::write(folder.join("tsconfig.json"), TSCONFIG).unwrap();
    run(folder, "npm", &["pkg", "set", "type=module"]);
}

/// Compiles `job` and what it imports to `out/job.js`.
fn compile(folder: &Path, job: &str) {
    fs::write(folder.join("job.ts"), job).unwrap();
    run(folder, folder.join(TSC), &["--project", "tsconfig.json"]);
}

/// Runs a client's program, and looks at what it did.
async fn does_the_main_job(folder: &Path, interpreter: impl AsRef<Path>, script: &str) {
    let opened = OpenSession::open().await;
    let key = opened.alice.key(MANAGE_WITH_CARDS).await;
    let (folder, interpreter) = (folder.to_owned(), interpreter.as_ref().to_owned());
    let arguments = [script.to_owned(), key.url.clone(), key.credential().to_owned()];
    let said = tokio::task::spawn_blocking(move || {
        run(&folder, interpreter, &arguments.each_ref().map(String::as_str))
    });
    let said = said.await.unwrap();
    let project = said.trim().lines().last().unwrap().to_owned();
    let cards = key.get(&format!("/api/v2/projects/{project}/cards")).await.expect(200).json();
    assert_eq!(cards["cards"][0]["name"], "Grind the teeth", "{cards}");
    let objects =
        key.get(&format!("/api/v2/projects/{project}/objects?q=teeth.txt")).await.expect(200).json();
    let named = |object: &Value| object["name"] == "teeth.txt";
    assert!(objects["objects"].as_array().unwrap().iter().any(named), "{objects}");
}
