/** All attacks, in execution order. */
import type { Attack } from "./attack.ts";
import { bodies } from "./attacks/bodies.ts";
import { devices } from "./attacks/devices.ts";
import { inventory } from "./attacks/inventory.ts";
import { lists } from "./attacks/lists.ts";
import { plugins } from "./attacks/plugins.ts";
import { stored } from "./attacks/stored.ts";
import { submissions } from "./attacks/submissions.ts";
import { templates } from "./attacks/templates.ts";

/** What is attacked. */
export const attacked = { lists, stored, submissions, bodies, templates, devices, inventory, plugins };

export const attacks: readonly Attack[] = Object.values(attacked).flat();
