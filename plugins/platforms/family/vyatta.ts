/** Vyatta and its descendants VyOS and EdgeOS: the configuration is edited, compared and committed. */
import type { PlatformPlugin } from "patchbay/plugin";

const user = "[^\\s@<>#$:]{1,64}@[^\\s@<>#$:]{1,100}";

/** @param login prefix of the prompts in examples */
export const vyattaLevels = (login: string): PlatformPlugin["levels"] => ({
  // Administrators have a shell prompt, operators an angle bracket.
  exec: { prompt: new RegExp(`${user}(?::[^\\n]{1,120}[$#]|>) `), example: `${login}:~$ ` },
  config: {
    prompt: new RegExp(`${user}# ?`),
    example: `${login}# `,
    from: "exec",
    enter: "configure",
    // A plain `exit` leaves one level only, and stays if there are uncommitted changes.
    leave: "exit discard",
  },
});

export const vyattaErrors: readonly RegExp[] = [
  /^\s*(?:Configuration path: [^\n]{1,400} (?:is not valid|already exists|does not exist)|(?:Set|Delete|Commit) failed)/m,
  /^-?v?bash: [^\n]{1,80}: command not found$/m,
];

export const vyatta = {
  api: 1,
  kind: "platform",
  home: "exec",
  config: "config",
  // The line above the prompt shows the path in the configuration.
  above: /^\[edit[^\]\n]*\]$/,
  questions: [{ ask: /\[y\/N\]\s*$/i, reply: "y" }],
  saveLevel: "config",
  candidate: {
    own: true,
    diff: "compare",
    commit: [{ send: "commit" }],
    commitComment: [{ send: 'commit comment "{comment}"' }],
    confirm: [
      {
        send: "commit-confirm {minutes}",
        questions: [{ ask: /Proceed ?\?\s*(?:\[confirm\])?\s*(?:\[y\])?\s*$/i, reply: "y" }],
      },
    ],
    discard: [{ send: "discard" }],
    failed: [
      /^\s*(?:Commit failed|Failed to generate committed config)/m,
      /commit failed/i,
      /^\s*Configuration system (?:temporarily )?locked/m,
    ],
  },
  simulated: {
    saved: "Saving configuration to '/config/config.boot'...\nDone",
    rename: "set system host-name {name}",
  },
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "sha256", command: "sha256sum {path}", match: /^([0-9a-f]{64})\b/m },
  },
} satisfies Partial<PlatformPlugin>;
