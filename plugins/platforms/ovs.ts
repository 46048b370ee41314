/** Open vSwitch hosts: a Linux shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

export default { ...linux, name: "ovs_linux", detect: [] } satisfies PlatformPlugin;
