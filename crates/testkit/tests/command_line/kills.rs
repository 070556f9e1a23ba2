//! An upload that is killed at random moments, again and again: every file is there once, byte for byte.
//!
//! `ATELIER_KILLS=50 ATELIER_KILLED_FILES=3000` is the whole test; it runs for some minutes.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::random::{Random, given_seed};

use crate::support::CommandLine;

/// Kills and files of a run in CI.
const KILLS: u64 = 10;
const FILES: u64 = 600;
/// Files that are added when a run was quicker than the kills.
const MORE: usize = 100;
/// The first bound of the random time to a kill.
const MOMENT: Duration = Duration::from_millis(400);

#[tokio::test(flavor = "multi_thread")]
async fn kills_at_random_moments_lose_and_repeat_no_file() {
    let terminal = CommandLine::open().await;
    let random = &mut Random::seeded("ATELIER_TEST_SEED");
    let wanted = given_seed("ATELIER_KILLS").unwrap_or(KILLS);
    let mut files = usize::try_from(given_seed("ATELIER_KILLED_FILES").unwrap_or(FILES)).unwrap();
    terminal.write_parts(files);
    terminal.write("parts/large.bin", vec![7; 20 * 1024 * 1024]);
    let upload = ["upload", "parts", "--to", "gearbox:/Model", "--json"];
    let begun = Instant::now();
    let (mut kills, mut amid, mut completed, mut moment, mut there) = (0, 0, 0, MOMENT, 0);
    while kills < wanted {
        // Nobody reads the output: a full pipe would stop the run.
        let mut command = terminal.command(&upload);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let wait = Duration::from_millis(
            random.below(usize::try_from(moment.as_millis()).unwrap()).try_into().unwrap(),
        );
        if let Ok(ended) = tokio::time::timeout(wait, child.wait()).await {
            assert!(ended.unwrap().success());
            completed += 1;
            // The run is over: further kills need further files.
            files += MORE;
            terminal.write_parts(files);
            continue;
        }
        child.start_kill().unwrap();
        child.wait().await.unwrap();
        kills += 1;
        let now = terminal.tree().await.values().flatten().count();
        // Kills that all come before the first file would prove nothing, and the files have to last for all kills.
        moment = match now - there {
            0 => moment.mul_f32(1.2),
            few if few <= files / usize::try_from(wanted).unwrap() => moment,
            _ => moment.mul_f32(0.8),
        };
        amid += u64::from(now > there);
        there = now;
    }
    let last = terminal.run(&upload).await.expect(0).event("summary");
    terminal.check_parts("/Model").await;
    println!(
        "{kills} kills, {amid} of them amid files, {completed} runs between them that ended, {files} files, {} sent by \
         the last run, {:?}",
        last["sent"],
        begun.elapsed()
    );
    let again = terminal.run(&upload).await.expect(0).event("summary");
    assert_eq!((&again["sent"], &again["unchanged"]), (&json!(0), &json!(files + 1)));
}
