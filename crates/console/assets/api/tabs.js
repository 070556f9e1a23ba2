// The sign-in of a person in several tabs. A new tab asks the others, so no token is ever kept where a browser keeps it.

/** Longest wait for another tab. */
const ANSWER_MS = 150;

/** @typedef {{ kind: "ask" } | { kind: "answer", session: string } | { kind: "renewed", from: string, session: string } | { kind: "ended", session: string }} Said */

const channel = new BroadcastChannel("session");
/** @param {Said} said */
const say = (said) => channel.postMessage(said);

/**
 * Shares what `read` answers with the tabs that ask, and hears of what other tabs have renewed or ended.
 * @param {{ read: () => string | null, renewed: (session: string) => void, ended: () => void }} own
 */
export function shareWithTabs({ read, renewed, ended }) {
  channel.addEventListener("message", ({ data }) => {
    const said = /** @type {Said} */ (data);
    const session = read();
    if (said.kind === "ask" && session) say({ kind: "answer", session });
    if (said.kind === "renewed" && said.from === session) renewed(said.session);
    if (said.kind === "ended" && said.session === session) ended();
  });
}

/** The session of another tab, if one answers. @returns {Promise<string | null>} */
export function askTabs() {
  return new Promise((resolve) => {
    /** @param {MessageEvent} event */
    const hear = ({ data }) => { if (data.kind === "answer") done(data.session); };
    /** @param {string | null} session */
    const done = (session) => {
      channel.removeEventListener("message", hear);
      resolve(session);
    };
    channel.addEventListener("message", hear);
    setTimeout(() => done(null), ANSWER_MS);
    say({ kind: "ask" });
  });
}

/** Tells the other tabs that this session took the place of `from`. @param {string | null} from @param {string} session */
export const tellRenewed = (from, session) => { if (from) say({ kind: "renewed", from, session }); };

/** Tells the other tabs that the session has ended. @param {string | null} session */
export const tellEnded = (session) => { if (session) say({ kind: "ended", session }); };
