// The sign-in of a person in several tabs. A new tab asks the others, so no token is kept where a browser stores it.

/** Longest wait for another tab. */
const ANSWER_MS = 150;

type Message =
  | { kind: "ask" }
  | { kind: "answer"; session: string }
  | { kind: "renewed"; from: string; session: string }
  | { kind: "ended"; session: string };

interface OwnSession {
  read: () => string | null;
  renewed: (session: string) => void;
  ended: () => void;
}

let channel: BroadcastChannel | undefined;

/** The channel of all tabs. Made late: in unit tests it would keep the process alive. */
function tabs(): BroadcastChannel {
  channel ??= new BroadcastChannel("session");
  return channel;
}

const post = (message: Message) => tabs().postMessage(message);

/** Answers tabs that ask for the session, and follows renewals and sign-outs of other tabs. */
export function shareWithTabs({ read, renewed, ended }: OwnSession): void {
  tabs().addEventListener("message", ({ data }: MessageEvent<Message>) => {
    const session = read();
    if (data.kind === "ask" && session) post({ kind: "answer", session });
    if (data.kind === "renewed" && data.from === session) renewed(data.session);
    if (data.kind === "ended" && data.session === session) ended();
  });
}

/** The session of another tab, if one answers. */
export function askTabs(): Promise<string | null> {
  return new Promise((resolve) => {
    const finish = (session: string | null) => {
      tabs().removeEventListener("message", listen);
      resolve(session);
    };
    const listen = ({ data }: MessageEvent<Message>) => { if (data.kind === "answer") finish(data.session); };
    tabs().addEventListener("message", listen);
    setTimeout(() => finish(null), ANSWER_MS);
    post({ kind: "ask" });
  });
}

/** Tells the other tabs that `session` replaces `from`. */
export function tellRenewed(from: string | null, session: string): void {
  if (from) post({ kind: "renewed", from, session });
}

/** Tells the other tabs that the session has ended. */
export function tellEnded(session: string | null): void {
  if (session) post({ kind: "ended", session });
}
