/** Arista EOS. */
import type { PlatformPlugin } from "patchbay/plugin";
import {
  ciscoErrors,
  ciscoPrepare,
  ciscoStyle,
  eosBlocks,
  morePager,
  quotingKeys,
  shellPrompt,
} from "./family/family.ts";
import { eosModes } from "./family/modes.ts";
import { eosReads } from "./family/reads.ts";
import { eosRunning } from "./family/running.ts";
import { eosWays } from "./family/ways.ts";

export default {
  api: 1,
  kind: "platform",
  name: "arista_eos",
  aliases: ["arista"],
  detect: [{ send: "show version", says: /Arista|vEOS/i }],
  levels: {
    // `R1(s1)#` names the supervisor, `R1(vrf:MGMT)#` the routing context, `R1(Standby)#` the redundancy state.
    ...ciscoStyle({ marks: "s\\d|vrf:[^()\\n]{1,100}|(?:RP-)?(?:Unavailable|Disabled|Switchover|Simplex)" }),
    shell: {
      prompt: shellPrompt,
      example: "[admin@R1 ~]$ ",
      from: "privileged",
      enter: "bash",
      leave: "exit",
    },
  },
  context: {
    pattern: /\(vrf:([^()\n]{1,100})\)/,
    enter: "cli vrf {context}",
    leave: "cli vrf default",
  },
  home: "privileged",
  config: "config",
  prepare: ciscoPrepare,
  errors: [...ciscoErrors, /^% (?:Cannot commit|Duplicate sequence number)/m],
  pager: morePager,
  keys: quotingKeys,
  blocks: eosBlocks,
  pipelines: true,
  save: [{ send: "write memory", failed: /^%/m }],
  running: eosRunning,
  reads: eosReads,
  undo: [
    {
      way: "confirmed_commit",
      timer: { mostMinutes: 1439 },
      enter: "configure session {name}",
      candidate: {
        diff: "show session-config diffs",
        commit: [{ send: "end" }, { send: "configure session {name} commit" }],
        confirm: [{ send: "end" }, { send: "configure session {name} commit timer {time}" }],
        discard: [{ send: "end" }, { send: "configure session {name} abort" }],
        failed: [/^%/m],
      },
      keep: [{ send: "configure session {name} commit" }],
      extend: [{ send: "configure session {name} commit timer {time}" }],
      back: [{ send: "configure session {name} abort" }],
    },
  ],
  simulated: { modes: eosModes, ways: eosWays, pipes: "nxos" },
  files: {
    by: ["scp", "sftp"],
    hash: { algorithm: "md5", command: "verify /md5 {path}", match: /= ([0-9a-f]{32})/i },
  },
} satisfies PlatformPlugin;
