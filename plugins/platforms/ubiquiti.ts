/** Ubiquiti: EdgeSwitch, UniFi switch, EdgeRouter (EdgeOS, which comes from Vyatta). */
import type { PlatformPlugin, Step } from "patchbay/plugin";
import { fastpath, fastpathLevels } from "./family-fastpath.ts";

const save: readonly Step[] = [
  {
    send: "write memory",
    questions: [
      {
        ask: /Are you sure you want to save\?\s*\(y\/n\)\s*$/i,
        example: "Are you sure you want to save? (y/n) ",
        reply: "y",
      },
    ],
    failed: /^\s*%|fail|could not|not saved/im,
  },
];

const edgeSwitch: PlatformPlugin = {
  ...fastpath,
  name: "ubiquiti_edgeswitch",
  aliases: ["ubiquiti_edge"],
  detect: [{ send: "show version", says: /EdgeSwitch/i }],
  save,
  unsure: ["what a wrong enable password is answered with"],
};

/** A name without brackets is that of the shell. */
const bare = /^[^(]/;

const unifiSwitch: PlatformPlugin = {
  ...fastpath,
  name: "ubiquiti_unifiswitch",
  levels: {
    // The login is that of a Linux shell; the switch listens on its own loopback.
    shell: { prompt: /[^\n]{0,120}[\w~)\]][#$] /, example: "R1-US.4.3.20# " },
    ...fastpathLevels,
    exec: { ...fastpathLevels.exec, from: "shell", enter: "telnet localhost", leave: "exit", not: bare },
    privileged: { ...fastpathLevels.privileged, not: bare },
  },
  goodbye: ["exit", "exit"],
  save,
  simulated: { ...fastpath.simulated, lands: "shell" },
  unsure: ["the prompt of the shell", "what a wrong enable password is answered with"],
};

const user = "[^\\s@<>#$:]{1,64}@[^\\s@<>#$:]{1,100}";

const edgeRouter: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "ubiquiti_edgerouter",
  levels: {
    exec: { prompt: new RegExp(`${user}(?::[^\\n]{1,120}[$#]|>) `), example: "ubnt@R1:~$ " },
    config: {
      prompt: new RegExp(`${user}# ?`),
      example: "ubnt@R1# ",
      from: "exec",
      enter: "configure",
      // A mere `exit` leads up by one context, and stays where something is not committed.
      leave: "exit discard",
    },
  },
  home: "exec",
  config: "config",
  // The place in the configuration stands on a line of its own.
  above: /^\[edit[^\]\n]*\]$/,
  prepare: ["terminal width 512", "terminal length 0"],
  errors: [
    /^\s*(?:Invalid command|Invalid value|Incomplete command|Ambiguous command)/m,
    /^\s*(?:Configuration path: [^\n]{1,400} (?:is not valid|already exists|does not exist)|(?:Set|Delete|Commit) failed)/m,
    /^-?v?bash: [^\n]{1,80}: command not found$/m,
  ],
  pager: { prompt: /:|lines \d+-\d+/, press: " ", example: ":" },
  questions: [{ ask: /\[y\/N\]\s*$/i, reply: "y" }],
  saveLevel: "config",
  save: [{ send: "save", success: /Done/, failed: /^\s*(?:Save failed|Error|Invalid)/im }],
  candidate: {
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
    failed: [/^\s*(?:Commit failed|Failed to generate committed config)/m, /commit failed/i],
  },
  simulated: {
    refusal: "\nInvalid command\n",
    saved: "Saving configuration to '/config/config.boot'...\nDone",
    rename: "set system host-name {name}",
  },
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "sha256", command: "sha256sum {path}", match: /^([0-9a-f]{64})\b/m },
  },
};

export default [edgeSwitch, unifiSwitch, edgeRouter];
