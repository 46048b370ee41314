/** Cisco firewalls: ASA, and Firepower Threat Defense (FTD). */
import type { PlatformPlugin } from "patchbay/plugin";
import { ciscoStyle, hostName, quotingKeys, shellPrompt } from "./family/family.ts";
import { asaModes } from "./family/modes.ts";
import { asaRunning } from "./family/running.ts";

const pager = { prompt: /<--- More --->/, press: " ", example: "<--- More --->" } as const;

const style = ciscoStyle({ blank: " " });

const asa: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_asa",
  detect: [{ send: "show version", says: /Cisco Adaptive Security Appliance|Cisco ASA/i }],
  levels: {
    ...style,
    privileged: {
      ...style.privileged,
      asks: /^\s*Password:\s*$/i,
      // Uses the account's privileges instead of an enable password.
      withoutSecret: {
        enter: "login",
        questions: [
          { ask: /^\s*Username:\s*$/i, reply: "{username}" },
          { ask: /^\s*Password:\s*$/i, reply: "{password}" },
        ],
      },
      refused: /^(?:Invalid password|Access denied|% ?Access denied|Login incorrect)/m,
    },
  },
  home: "privileged",
  config: "config",
  prepareAt: { level: "privileged", commands: ["terminal pager 0"] },
  // `ciscoasa/CTX1#`, `ciscoasa/pri/act/CTX1#`: the part that is neither the failover role nor its state.
  context: {
    pattern:
      /^[^/(#>\n]{1,63}(?:\/(?:pri|sec|act|stby|\w{0,12}NoFailover|Negotiation)(?=[/(#>]))*\/((?!(?:pri|sec|act|stby|\w{0,12}NoFailover|Negotiation)[/(#>])[\w-]{1,32})/,
    enter: "changeto context {context}",
    leave: "changeto system",
  },
  goodbye: ["exit"],
  keys: quotingKeys,
  running: asaRunning,
  errors: [/^\s*ERROR:/m, /^\s*% ?(?:Invalid|Incomplete|Ambiguous)/m, /^Command authorization failed/m],
  pager,
  questions: [
    {
      // Asked by the first `configure terminal` after the installation.
      ask: /\[Y\]es, \[N\]o, \[A\]sk later:\s*$/i,
      reply: "A",
    },
    // Answered by a single key; further input would become the next line.
    { ask: /\[confirm\]\s*:?\s*$/i, reply: "" },
    { ask: /\[yes\/no\]\s*:?\s*$/i, reply: "yes" },
  ],
  // A banner is entered line by line, with one command per line.
  blocks: [],
  save: [{ send: "write memory", success: /\[OK\]/, failed: /^(?:ERROR|%Error|Error)/m }],
  simulated: {
    modes: asaModes,
    pipes: "ios",
    contexts: [{ enter: /^changeto context (\S+)$/, name: "R1/$1", leave: /^changeto system$/ }],
    refusal: "ERROR: % Invalid input detected at '^' marker.",
    denied: "Access denied.",
    saved: "Building configuration...\nCryptochecksum: 1a2b3c4d 5e6f7081 92a3b4c5 d6e7f809\n[OK]",
  },
  legacySsh: true,
  files: {
    by: ["scp"],
    hash: { algorithm: "md5", command: "verify /md5 {path}", match: /= ([0-9a-f]{32})/i },
    enable: ["ssh scopy enable"],
  },
  unsure: [
    "running.show in a context of a multiple-context firewall",
    "`terminal width` is not set: it is a configuration line",
  ],
};

/** A bare `>`; only the shells show the host name. */
const ftd: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_ftd",
  detect: [{ send: "show version", says: /Cisco Firepower/i }],
  levels: {
    user: { prompt: />/, example: "> " },
    expert: {
      prompt: shellPrompt,
      example: "admin@R1:~$ ",
      from: "user",
      enter: "expert",
      leave: "exit",
    },
    // The diagnostic CLI of the ASA; Ctrl-A d detaches from it.
    diagnostic: {
      prompt: new RegExp(`${hostName}[>#] `),
      example: "R1> ",
      from: "user",
      enter: "system support diagnostic-cli",
      leave: "\x01d",
    },
  },
  home: "user",
  goodbye: ["exit"],
  // Ctrl-U: the editor keeps a refused line, and further input would be appended to it.
  afterRefusal: "\x15",
  keys: quotingKeys,
  errors: [/^\s*(?:Syntax error|ERROR):/m, /^\s*% ?(?:Invalid|Incomplete|Ambiguous)/m],
  pager,
  // `configure …` commands take effect and persist; a manager deploys the rest.
  save: [],
  simulated: {
    refusal: "Syntax error: Illegal command line",
    rename: "configure network hostname {name}",
  },
  unsure: ["refusals", "format of the pager, which cannot be disabled"],
};

export default [asa, ftd];
