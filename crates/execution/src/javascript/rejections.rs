//! Promises that fail unseen: the engine tells of each, and again once something handles it.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Persistent, Runtime};

/// The function of `prelude.js` that is told of failed promises. The engine's tracker has to be set before the function
/// exists, and gone before the engine is.
#[derive(Clone, Default)]
pub(super) struct Rejections(Rc<RefCell<Option<Persistent<Function<'static>>>>>);

impl Rejections {
    /// Follows the promises of an engine.
    pub(super) fn follow(&self, runtime: &Runtime) {
        let followed = self.clone();
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx, promise, reason, is_handled| {
                let Some(told) = followed.0.borrow().clone() else { return };
                let told =
                    told.restore(&ctx).and_then(|told| told.call::<_, ()>((promise, reason, is_handled)));
                if told.is_err() {
                    // Without memory or time, the code ends by that.
                    ctx.catch();
                }
            },
        )));
    }

    /// Tells `told` from now on: a promise, its reason, and true once it is handled.
    pub(super) fn tell<'js>(&self, ctx: &Ctx<'js>, told: Function<'js>) {
        *self.0.borrow_mut() = Some(Persistent::save(ctx, told));
    }

    /// Tells nobody any more.
    pub(super) fn end(&self) {
        self.0.borrow_mut().take();
    }
}
