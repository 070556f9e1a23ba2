//! Help and refusals of the arguments, as a terminal shows them. `TRYCMD=overwrite` writes them.

#[test]
fn help_and_usage_errors_read_as_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").env("HOME", "/nonexistent").env("NO_COLOR", "1");
}
