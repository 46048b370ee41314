/** All attacks, in execution order. */
import type { Attack } from "./attack.ts";
import { bodies } from "./attacks/bodies.ts";
import { devices } from "./attacks/devices.ts";
import { lists } from "./attacks/lists.ts";
import { submissions } from "./attacks/submissions.ts";
import { templates } from "./attacks/templates.ts";

export const attacks: readonly Attack[] = [...lists, ...submissions, ...bodies, ...templates, ...devices];
