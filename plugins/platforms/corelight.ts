/** Corelight sensors, through their Linux shell. */
import type { PlatformPlugin } from "patchbay/plugin";
import linux from "./linux.ts";

export default { ...linux, name: "corelight_linux", detect: [] } satisfies PlatformPlugin;
