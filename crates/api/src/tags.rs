//! The groups of operations in the OpenAPI documents.

use crate::operation::Tag;

/// The tag `Document`.
pub const DOCUMENT: Tag =
    Tag { name: "Document", text: "This document, for generators of clients and for readers." };

/// The tag `Account`.
pub const ACCOUNT: Tag = Tag { name: "Account", text: "The user behind the credential." };

/// The tag `Organizations`.
pub const ORGANIZATIONS: Tag = Tag {
    name: "Organizations",
    text: "Owners of projects and teams, with members. People are managed with a browser token only; \
           members are read with an API key, too.",
};

/// The tag `Members`.
pub const MEMBERS: Tag = Tag {
    name: "Members",
    text: "People and service accounts with a role in an organization. Use the `userId` of a member as \
           `assigneeId` of a card.",
};

/// The tag `Invitations`.
pub const INVITATIONS: Tag = Tag {
    name: "Invitations",
    text: "Offers of a role in an organization, each accepted once: by the bearer of its secret or by \
           the account with its address. A newer one to the same address ends it.",
};

/// The tag `Service accounts`.
pub const SERVICE_ACCOUNTS: Tag = Tag {
    name: "Service accounts",
    text: "Users for machines, owned by an organization. They act by API keys alone and reach nothing \
           outside of it.",
};

/// The tag `API keys`.
pub const API_KEYS: Tag = Tag {
    name: "API keys",
    text: "Personal access tokens for programs, managed with a browser token only: a stolen key makes no \
           others.",
};

/// The tag `Projects`.
pub const PROJECTS: Tag = Tag {
    name: "Projects",
    text: "A project holds versioned content, cards and sessions. Its owner is a user or an organization.",
};

/// The tag `Changes`.
pub const CHANGES: Tag = Tag {
    name: "Changes",
    text: "Uncommitted changes of a branch: durable, and shown over the last commit.",
};

/// The tag `Objects`.
pub const OBJECTS: Tag = Tag {
    name: "Objects",
    text: "The content of a project: a tree of objects with a name, a type and free data. Ids are stable for \
           life.",
};

/// The tag `Branches`.
pub const BRANCHES: Tag = Tag {
    name: "Branches",
    text: "Lines of development. A project's id in a path selects its default branch, `{projectId}--{branch}` \
           another one.",
};

/// The tag `Commits`.
pub const COMMITS: Tag = Tag {
    name: "Commits",
    text: "The history of a branch. Hashes are Git's own, and `git clone` shows the same commits.",
};

/// The tag `Merges`.
pub const MERGES: Tag = Tag { name: "Merges", text: "Merging and comparing by object and field." };

/// The tag `Packages`.
pub const PACKAGES: Tag =
    Tag { name: "Packages", text: "Published parts of a project that other projects include." };

/// The tag `Includes`.
pub const INCLUDES: Tag = Tag { name: "Includes", text: "Packages of other projects, pinned to a commit." };

/// The tag `Bills of materials`.
pub const BILLS: Tag = Tag {
    name: "Bills of materials",
    text: "The parts and assemblies of a tree, counted, and the way back: what uses a part.",
};

/// The tag `Sessions`.
pub const SESSIONS: Tag = Tag {
    name: "Sessions",
    text: "A session opens a branch for work: uploads, an agent with tools, executions, and a stream of events. \
           Creating one answers a grant for the data plane.",
};

/// The tag `Files`.
pub const FILES: Tag =
    Tag { name: "Files", text: "The files of a project. Their bytes go to and from the data plane." };

/// The tag `Models`.
pub const MODELS: Tag = Tag { name: "Models", text: "The models that the deployment has configured." };

/// The tag `Tools`.
pub const TOOLS: Tag = Tag {
    name: "Tools",
    text: "Operations as tools, for the agent, programs and MCP clients, with the rights that caller and \
           session both have.",
};

/// The tag `Approvals`.
pub const APPROVALS: Tag = Tag {
    name: "Approvals",
    text: "Questions whether the agent may use a tool. A run waits for their answers.",
};

/// The tag `MCP servers`.
pub const MCP_SERVERS: Tag = Tag {
    name: "MCP servers",
    text: "Servers of tools that a project's managers have named. Each is a toolbox of the project's \
           sessions.",
};

/// The tag `Executions`.
pub const EXECUTIONS: Tag = Tag {
    name: "Executions",
    text: "Code of a project, run in a sandbox without network and files, with bounded time, memory and \
           output.",
};

/// The tag `Usage`.
pub const USAGE: Tag = Tag { name: "Usage", text: "What models cost, in credits." };

/// The tag `Cards`.
pub const CARDS: Tag = Tag {
    name: "Cards",
    text: "Pieces of work in a project. Each change is a row of the card's history; the last one is its \
           head.",
};

/// The tag `Card tags`.
pub const CARD_TAGS: Tag = Tag { name: "Card tags", text: "The catalog of tags of a project." };

/// The tag `Imports`.
pub const IMPORTS: Tag = Tag { name: "Imports", text: "Cards made of the issues of other planning tools." };

/// The tag `Teams`.
pub const TEAMS: Tag = Tag { name: "Teams", text: "Teams of an organization, with a board each." };

/// The tag `Boards`.
pub const BOARDS: Tag = Tag { name: "Boards", text: "The cards of a team, in its columns." };

/// The tag `Columns`.
pub const COLUMNS: Tag = Tag { name: "Columns", text: "The status columns of a team's board." };

/// The tag `Sprints`.
pub const SPRINTS: Tag = Tag { name: "Sprints", text: "Periods of work of a team, with a report." };

/// The tag `Calendars`.
pub const CALENDARS: Tag = Tag {
    name: "Calendars",
    text: "Deadlines and sprints for calendar programs, by an address with a secret.",
};

/// The tag `Git`.
pub const GIT: Tag = Tag {
    name: "Git",
    text: "Repositories for Git's own clients: `git clone {url}/git/{projectId}.git`, with the API key as the \
           password. They are read-only. Programs have no use for these operations.",
};

/// The tag `MCP`.
pub const MCP: Tag = Tag {
    name: "MCP",
    text: "The service as a server of the Model Context Protocol, for assistants and editors.",
};

/// The tag `Files` of the data plane.
pub const DATA_FILES: Tag = Tag { name: "Files", text: "Whole files, one or many in a request." };

/// The tag `Previews`.
pub const PREVIEWS: Tag = Tag {
    name: "Previews",
    text: "What there is to see of files with a shape: facts, pictures, and the shape in other formats. All of it is \
           made of the file when it is first asked for, or after its upload, and made again when it was dropped.",
};

/// The tag `Attachments`.
pub const ATTACHMENTS: Tag =
    Tag { name: "Attachments", text: "The files of cards, which belong to no tree." };

/// The tag `Uploads in pieces`.
pub const UPLOADS_IN_PIECES: Tag = Tag {
    name: "Uploads in pieces",
    text: "Large files over connections that break, by the protocol tus 1.0: any of its clients works with the \
           address of `createResumableUpload`. Another version of the protocol is refused with 412.",
};
