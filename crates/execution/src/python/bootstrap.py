# Runs code from standard input. First it loads the modules that code may import. Then it installs the filters of system
# calls from the environment, after which it can open, start and reach nothing more. Only then it reads the code.

import importlib, json, os, sys

MODULES = """
    abc argparse array ast asyncio atexit base64 binascii bisect bz2 calendar cmath codecs collections.abc colorsys
    concurrent.futures.thread configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal
    difflib email.message email.parser email.policy encodings.ascii encodings.cp1250 encodings.cp1251 encodings.cp1252
    encodings.cp437 encodings.cp850 encodings.idna encodings.iso8859_15 encodings.latin_1 encodings.utf_16
    encodings.utf_32 encodings.utf_8_sig enum errno fnmatch fractions functools gettext getopt graphlib gzip hashlib
    heapq hmac html.entities html.parser importlib.metadata inspect io ipaddress itertools json keyword linecache
    locale logging lzma marshal math mimetypes numbers operator optparse pathlib pickle pickletools plistlib posixpath
    pprint queue quopri random re reprlib sched secrets selectors shlex signal sqlite3 statistics string stringprep
    struct symtable tarfile tempfile textwrap threading time timeit token tokenize tomllib traceback types typing
    unicodedata unittest urllib.parse uuid warnings wave weakref xml.dom.minidom xml.etree.ElementTree xml.sax.saxutils
    zipfile zlib zoneinfo _strptime
"""
FILE = "code.py"
LENGTH, HEAD_MAX, BODY_MAX = 4, 16 * 1024, 4 * 1024 * 1024
TIMED_OUT, UNPROTECTED = 79, 77
# Threads at once, the first included. They share one processor.
THREADS_MAX = 16

for name in MODULES.split():
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # Some installations lack optional modules.


def probe():
    """Prints the paths of the interpreter and of all files that it has loaded."""
    import sysconfig

    files = {os.path.realpath(sysconfig.get_paths()[kind]) for kind in ("stdlib", "platstdlib")}
    with open("/proc/self/maps") as maps:
        files.update(path for path in (line[73:].strip() for line in maps) if path.startswith("/"))
    path = os.path.realpath("/proc/self/exe")
    version = ".".join(map(str, sys.version_info[:3]))
    print(json.dumps({"path": path, "version": version, "files": sorted(files | {path})}))


def install_filters():
    """Installs the filters of system calls, which can't be removed."""
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    libc = ctypes.CDLL(None)
    number = lambda value: ctypes.c_ulong(value)
    failed = libc.prctl(4, number(0), number(0), number(0), number(0))  # Other processes can't read its memory.
    for text in os.environ.pop("ATELIER_SECCOMP_FILTERS").split(","):
        code = bytes.fromhex(text)
        held = ctypes.create_string_buffer(code, len(code))
        program = Program(len(code) // 8, ctypes.addressof(held))
        failed = failed or libc.prctl(22, number(2), ctypes.byref(program), number(0), number(0))
    if failed:
        os.write(2, b"seccomp is not enforced\n")
        os._exit(UNPROTECTED)


def bound_threads():
    """Refuses to start more threads than help."""
    import threading

    start = threading.Thread.start

    def bounded(thread):
        if threading.active_count() >= THREADS_MAX:
            raise RuntimeError(f"can't start new thread: at most {THREADS_MAX} run at once")
        start(thread)

    threading.Thread.start = bounded


def end_in_time():
    """Ends the code at its time limit and flushes its output. The sandbox kills code that never returns to the
    interpreter, for example one arithmetic operation on a huge number."""
    import signal

    def end(*_):
        try:
            sys.__stdout__.flush()
        except RuntimeError:
            pass  # The output was being written.
        os._exit(TIMED_OUT)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)


def frame(head, body=b""):
    """A message to the host. Raises an error for a text with a lone surrogate, which UTF-8 can't encode."""
    head = json.dumps(head, ensure_ascii=False).encode()
    if len(head) > HEAD_MAX:
        raise ValueError(f"a call has at most {HEAD_MAX} bytes of URL and headers")
    if len(body) > BODY_MAX:
        raise ValueError(f"a body has at most {BODY_MAX} bytes")
    return b"".join((len(head).to_bytes(LENGTH, "big"), head, len(body).to_bytes(LENGTH, "big"), body))


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(0, view):]


# Made in advance: without memory, it could not be made.
OUT_OF_MEMORY = frame({"kind": "outOfMemory"})


def receive():
    def exactly(length):
        parts = []
        while length:
            part = os.read(0, min(length, 1 << 20))
            if not part:
                os._exit(1)
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    head = exactly(int.from_bytes(exactly(LENGTH), "big"))
    return json.loads(head), exactly(int.from_bytes(exactly(LENGTH), "big"))


def module(context):
    """The module `atelier`: calls to the host, and the context of the execution."""
    import threading
    import types
    import urllib.parse

    turn = threading.Lock()

    def question(head, body=b""):
        data = frame({"id": 1, **head}, body)
        with turn:  # One call at a time: the next answer belongs to the last call.
            send(data)
            answer, body = receive()
        if answer.get("error"):
            raise OSError(answer["error"])
        return answer, body

    class Response:
        """The response to a request."""

        def __init__(self, url, answer, body):
            self.url, self.status, self.body = url, answer["status"], body
            self.headers = {name.lower(): value for name, value in answer["headers"]}
            self.ok = 200 <= self.status < 300

        def text(self):
            return self.body.decode(errors="replace")

        def json(self):
            return json.loads(self.body)

    def fetch(url, method="GET", headers=None, body=None):
        """Sends a request to the data plane."""
        body = b"" if body is None else body.encode() if isinstance(body, str) else bytes(body)
        pairs = [[str(name), str(value)] for name, value in dict(headers or {}).items()]
        answer, body = question({"kind": "fetch", "method": method.upper(), "url": str(url), "headers": pairs}, body)
        return Response(url, answer, body)

    def upload(parent_id, name, content):
        """Uploads a file under an object of the tree, by the execution's session."""
        content = content.encode() if isinstance(content, str) else bytes(content)
        boundary = f"part-{context['executionId']}"
        while boundary.encode() in content:
            boundary += "-"
        quoted = str(name).replace("\\", "\\\\").replace('"', '\\"')
        disposition = f'Content-Disposition: form-data; name="file"; filename="{quoted}"'
        body = f"--{boundary}\r\n{disposition}\r\n\r\n".encode() + content + f"\r\n--{boundary}--\r\n".encode()
        branch = urllib.parse.quote(context["branch"], safe="")
        place = f"{context['ownerId']}/me/{context['projectId']}--{branch}/{context['connectionId']}/{parent_id}"
        headers = {
            "Authorization": f"Bearer {context['grant']}",
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        }
        response = fetch(f"{context['dataPlaneUrl']}/api/v1/file/upload/{place}", "POST", headers, body)
        if not response.ok:
            raise OSError(f"the upload was refused: {response.status} {response.text()}")
        return response.json()

    def create_evaluation_run():
        """Creates an evaluation run; returns its sandbox and its grant."""
        return json.loads(question({"kind": "createEvaluationRun"})[1])

    current_zones(question)
    made = types.ModuleType("atelier", "The execution, and the way to the data plane.")
    snake_case = lambda name: "".join("_" + c.lower() if c.isupper() else c for c in name)
    made.__dict__.update({snake_case(name): value for name, value in context.items()})
    made.__dict__.update(
        fetch=fetch, upload=upload, create_evaluation_run=create_evaluation_run, Response=Response
    )
    return made


def current_zones(question):
    """Time zones are the service's: current, and the same on every machine."""
    import io
    import zoneinfo

    def load(name):
        try:
            return io.BytesIO(question({"kind": "zone", "name": name})[1])
        except OSError:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {name}") from None

    zoneinfo.reset_tzpath(to=[])
    zoneinfo._common.load_tzdata = load
    zoneinfo.available_timezones = lambda: set(question({"kind": "zone", "name": ""})[1].decode().split("\n"))


def loops_without_sockets():
    """Gives `asyncio` an event loop that waits for threads and time alone: nothing else can happen here."""
    import asyncio
    import threading

    class Waiting:
        def __init__(self):
            self.woken = threading.Event()

        def select(self, timeout):
            self.woken.wait(timeout)
            self.woken.clear()
            return []

    class Loop(asyncio.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Waiting()

        def _process_events(self, events):
            pass

        def _write_to_self(self):
            self._selector.woken.set()

    class Policy(asyncio.DefaultEventLoopPolicy):
        _loop_factory = Loop

    asyncio.set_event_loop_policy(Policy())


def run(source):
    """Runs the code as a program; returns the uncaught error."""
    import linecache
    import traceback

    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    try:
        exec(compile(source, FILE, "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
    except SystemExit as end:
        if end.code not in (None, 0):
            return f"SystemExit: {end.code}"
    except MemoryError:
        send(OUT_OF_MEMORY)
        os._exit(0)
    except BaseException as error:
        # Without the frame of this file.
        trace = error.__traceback__ and error.__traceback__.tb_next
        return "".join(traceback.format_exception(type(error), error, trace)).rstrip()
    return None


def main():
    import io
    import threading

    end_in_time()
    bound_threads()
    os.nice(NICENESS)  # The interpreter itself starts at the service's priority.
    install_filters()
    loops_without_sockets()
    sys.stdin = io.StringIO()
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    sys.stderr = sys.stdout
    send(frame({"kind": "ready"}))
    context, source = receive()
    sys.modules["atelier"] = module(context)
    ended = run(source.decode())
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    if ended is None:
        send(frame({"kind": "completed"}))
    else:
        send(frame({"kind": "failed"}, ended.encode(errors="backslashreplace")[:BODY_MAX]))
    os._exit(0)


probe() if PROBING else main()
