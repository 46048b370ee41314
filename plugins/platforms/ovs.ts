/** Open vSwitch hosts: a Linux shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import { ovsRunning } from "./family/running.ts";
import linux from "./linux.ts";

export default {
  ...linux,
  name: "ovs_linux",
  detect: [],
  errors: [...linux.errors, /^ovs-vsctl: /m],
  running: ovsRunning,
} satisfies PlatformPlugin;
