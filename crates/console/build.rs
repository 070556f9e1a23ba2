//! Embeds new files of the console as well as changed ones.

fn main() -> std::io::Result<()> {
    // Cargo would run this at each build as long as the folder is missing.
    std::fs::create_dir_all("dist")?;
    println!("cargo:rerun-if-changed=dist");
    Ok(())
}
