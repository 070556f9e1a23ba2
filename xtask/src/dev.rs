//! `cargo xtask dev`: the whole service on this machine, with a demonstration user and key. It runs until Ctrl-C, and
//! then ends all processes that it started.

mod command_line;
mod demo;
mod proxy;
mod seed;
mod services;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::console;
use crate::dev::command_line::CommandLine;
use crate::folder::write_private;
use crate::log;
use crate::process::{Spec, Supervisor};
use crate::provision::{Prerequisites, packages, postgres, redis};
use crate::workspace::Workspace;

const DATABASE: &str = "atelier";
/// The address of a person who has no account before the first sign-in.
const NEWCOMER: &str = "newcomer@example.com";

/// Arguments of `cargo xtask dev`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Use free ports and a data folder that is removed when the run ends
    #[arg(long)]
    ephemeral: bool,
    /// Fill a demonstration project with real files and the planning around them
    #[arg(long)]
    demo: bool,
    /// Processes of each service behind one address
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    replicas: u8,
    /// Build the console again after each edit; open pages load themselves again
    #[arg(long)]
    watch: bool,
    /// Write addresses and credentials to this file, as JSON, when all services are ready
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
    /// Run the programs without building them
    #[arg(long)]
    no_build: bool,
    /// Let writes wait for the disk even on an ephemeral folder, as a benchmark needs it
    #[arg(long, hide = true)]
    durable: bool,
}

/// Content of the ready file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready<'a> {
    control_url: &'a str,
    data_url: &'a str,
    ops_url: &'a str,
    data_ops_url: &'a str,
    database_url: &'a str,
    redis_url: &'a str,
    api_key: &'a str,
    browser_token: &'a str,
    newcomer_token: &'a str,
    /// Another token of the newcomer, which the guide ends.
    spare_token: &'a str,
    sign_in_link: &'a str,
    user_id: &'a str,
    org_id: &'a str,
}

/// Runs until a signal arrives, which is the normal end, or a child dies.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(path) = &args.ready_file {
        remove_stale(path)?;
    }
    let workspace = Workspace::find()?;
    let Prerequisites { tools, user, root } = Prerequisites::find_or_install(&workspace)?;
    // The control plane finds it on the path.
    packages::find_or_install_python(&workspace)?;
    let folder = if args.ephemeral { root.ephemeral()? } else { root.persistent()? };
    if !args.no_build {
        console::build(&workspace)?;
    }
    let mut supervisor = Supervisor::start(&folder)?;
    if !args.no_build && !supervisor.run("cargo build", workspace.build_command())?.success() {
        bail!("the programs don't build");
    }

    let mut seed = seed::Seed::open(&folder)?;
    let options = postgres::Options {
        bin: &tools.postgres_bin,
        user: user.as_ref(),
        database: DATABASE,
        password: seed.database_password(),
        durable: args.durable || !args.ephemeral,
    };
    let postgres = postgres::start(&mut supervisor, &folder, &options)?;
    let database_url = postgres.url(DATABASE);
    let redis_url = redis::start(&mut supervisor, &folder, &tools.redis_server)?;

    let control = seed::Control::new(&workspace, &folder, &database_url, &redis_url)?;
    control.migrate()?;
    control.make_keys()?;
    seed.fill(&control)?;

    let plan = services::Plan {
        workspace: &workspace,
        folder: &folder,
        keys: control.keys(),
        database_url: &database_url,
        redis_url: &redis_url,
        replicas: args.replicas,
        fixed_ports: !args.ephemeral,
    };
    let running = services::start(&mut supervisor, &plan)?;
    let atelier = CommandLine::new(&workspace, &folder, &running.control.url);
    let api_key = seed.working_key(&control, &atelier)?;
    folder.sign(&running.control.url)?;

    let (user_id, org_id) = seed.ids()?;
    if args.demo {
        demo::fill(&workspace, &atelier, &api_key, org_id)?;
    }
    let browser_token = control.browser_token(&["--user", user_id])?;
    let [newcomer_token, spare_token] =
        [control.browser_token(&["--email", NEWCOMER])?, control.browser_token(&["--email", NEWCOMER])?];
    let sign_in_link = control.sign_in_link(user_id, &running.control.url)?;
    let ready = Ready {
        control_url: &running.control.url,
        data_url: &running.data.url,
        ops_url: &running.control.ops_url,
        data_ops_url: &running.data.ops_url,
        database_url: &database_url,
        redis_url: &redis_url,
        api_key: &api_key,
        browser_token: &browser_token,
        newcomer_token: &newcomer_token,
        spare_token: &spare_token,
        sign_in_link: &sign_in_link,
        user_id,
        org_id,
    };
    if let Some(path) = &args.ready_file {
        write_private(path, &serde_json::to_vec_pretty(&ready)?).context("write the ready file")?;
    }
    print(&ready, folder.path());
    if args.watch {
        supervisor.spawn(Spec::service("console", console::watch(&workspace)?, None))?;
    }

    let end = supervisor.wait();
    if end.downcast_ref::<crate::process::Interrupted>().is_some() {
        log("shutting down");
    }
    if let Some(path) = &args.ready_file {
        remove_stale(path)?;
    }
    Err(end)
}

fn print(ready: &Ready<'_>, data: &Path) {
    println!(
        "\
Atelier is running. Ctrl-C ends it.

  console         {link}
                  (signs you in once; later, paste the browser token at {control}/sign-in)

  control plane   {control}   (operations: {ops})
  data plane      {data_plane}   (operations: {data_ops})
  PostgreSQL      {database}
  Redis           {redis}
  data and logs   {data}
  user            {user}
  organization    {org}
  API key         {key}
  browser token   {token}
                  (of the user, for 7 days: people and keys are managed with it)
  newcomer token  {newcomer}
                  (of a person without an account, who signs up by the first request)

Try:

  curl -H 'Authorization: Bearer {key}' {control}/api/v2/me
  curl -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{{\"name\": \"Gearbox\"}}' {control}/api/v2/projects
  curl -H 'Authorization: Bearer {key}' {control}/api/v2/projects
  curl -H 'Authorization: Bearer {token}' {control}/api/v2/api-keys
",
        link = ready.sign_in_link,
        control = ready.control_url,
        ops = ready.ops_url,
        data_plane = ready.data_url,
        data_ops = ready.data_ops_url,
        database = ready.database_url,
        redis = ready.redis_url,
        data = data.display(),
        user = ready.user_id,
        org = ready.org_id,
        key = ready.api_key,
        token = ready.browser_token,
        newcomer = ready.newcomer_token,
    );
}

/// Removes the ready file of an earlier run, which would announce a service that is gone.
fn remove_stale(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
