//! The globals of the code that need nothing of the host: printing, locales, URLs, copies and random values.

use domain::time::{Timestamp, Zone};
use rand::TryRng;
use rand::rngs::SysRng;
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Exception, Function, Object, TypedArray, Value, convert::List};
use serde_json::json;
use url::{Url, quirks};

const INSPECT: &str = include_str!("inspect.js");
const CONSOLE: &str = include_str!("console.js");
const GLOBALS: &str = include_str!("globals.js");
const LOCALE: &str = include_str!("locale.js");

/// The globals, and the function that shows a value as text.
pub(super) struct Globals<'js> {
    /// Of `globals.js`, `locale.js` and `console.js`, by name.
    pub(super) added: Object<'js>,
    /// Shows a value.
    pub(super) inspect: Function<'js>,
}

impl<'js> Globals<'js> {
    /// Evaluates the scripts. `print` writes a text, and `now` is the time of the code's clock in milliseconds.
    pub(super) fn load(ctx: &Ctx<'js>, print: Function<'js>) -> rquickjs::Result<Self> {
        let inspecting: Function<'js> = ctx.eval(INSPECT)?;
        let List((inspect, number)): List<(Function<'js>, Function<'js>)> =
            inspecting.call((Function::new(ctx.clone(), promise_state)?,))?;
        let clock: Function<'js> = ctx.eval("Date.now")?;
        let made: Function<'js> = ctx.eval(CONSOLE)?;
        let console: Object<'js> = made.call((print, inspect.clone(), number, clock))?;
        let made: Function<'js> = ctx.eval(GLOBALS)?;
        let added: Object<'js> = made.call((
            Function::new(ctx.clone(), split_url)?,
            Function::new(ctx.clone(), change_url)?,
            Function::new(ctx.clone(), random_bytes)?,
        ))?;
        let made: Function<'js> = ctx.eval(LOCALE)?;
        let locale: Object<'js> = made.call((Function::new(ctx.clone(), zone_offset)?,))?;
        added.set("console", console)?;
        added.set("Intl", locale.get::<_, Value<'js>>("Intl")?)?;
        Ok(Self { added, inspect })
    }
}

/// Undefined for a value that is no promise; an empty list for one that is open; else if it was kept, and its result.
fn promise_state<'js>(ctx: Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Option<Array<'js>>> {
    let Some(promise) = value.into_promise() else { return Ok(None) };
    let state = Array::new(ctx.clone())?;
    match promise.state() {
        PromiseState::Pending => {}
        PromiseState::Resolved => {
            state.set(0, true)?;
            state.set(1, promise.result::<Value<'js>>().transpose()?)?;
        }
        PromiseState::Rejected => {
            // The result is thrown.
            let _thrown = promise.result::<Value<'js>>();
            state.set(0, false)?;
            state.set(1, ctx.catch())?;
        }
    }
    Ok(Some(state))
}

/// The parts of a URL as JSON; undefined for another text.
fn split_url(url: String, base: rquickjs::prelude::Opt<Option<String>>) -> Option<String> {
    let base = base.0.flatten().map(|base| Url::parse(&base)).transpose().ok()?;
    let url = Url::options().base_url(base.as_ref()).parse(&url).ok()?;
    Some(parts(&url))
}

/// The parts of a URL of which one was changed; undefined if that is not possible.
fn change_url(url: String, part: String, value: String) -> Option<String> {
    let mut url = Url::parse(&url).ok()?;
    let changed = match part.as_str() {
        "protocol" => quirks::set_protocol(&mut url, &value),
        "username" => quirks::set_username(&mut url, &value),
        "password" => quirks::set_password(&mut url, &value),
        "host" => quirks::set_host(&mut url, &value),
        "hostname" => quirks::set_hostname(&mut url, &value),
        "port" => quirks::set_port(&mut url, &value),
        "pathname" => {
            quirks::set_pathname(&mut url, &value);
            Ok(())
        }
        "search" => {
            quirks::set_search(&mut url, &value);
            Ok(())
        }
        _ => {
            quirks::set_hash(&mut url, &value);
            Ok(())
        }
    };
    changed.ok().map(|()| parts(&url))
}

fn parts(url: &Url) -> String {
    json!({
        "href": quirks::href(url), "origin": quirks::origin(url), "protocol": quirks::protocol(url),
        "username": quirks::username(url), "password": quirks::password(url), "host": quirks::host(url),
        "hostname": quirks::hostname(url), "port": quirks::port(url), "pathname": quirks::pathname(url),
        "search": quirks::search(url), "hash": quirks::hash(url),
    })
    .to_string()
}

/// Bytes that nobody can guess.
fn random_bytes<'js>(ctx: Ctx<'js>, count: usize) -> rquickjs::Result<TypedArray<'js, u8>> {
    let mut bytes = vec![0; count];
    SysRng.try_fill_bytes(&mut bytes).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
    TypedArray::new(ctx, bytes)
}

/// The offset of a zone from UTC in seconds; undefined for an unknown zone.
fn zone_offset(zone: String, unix_secs: f64) -> Option<i32> {
    let zone: Zone = zone.parse().ok()?;
    // Dates are within ±8.64e12 seconds.
    let time = format!("{unix_secs:.0}").parse().ok().and_then(Timestamp::from_unix_seconds)?;
    Some(zone.offset_secs(time))
}
