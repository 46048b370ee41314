/** GET /plugin. */
import * as v from "valibot";
import { pluginRecord } from "../../../api/admin/plugin.ts";
import { route } from "../../route.ts";

export const pluginRoutes = [
  route({
    id: "listPlugins",
    method: "GET",
    path: "/plugin",
    scope: "admin",
    summary: "List plugins, loaded and rejected",
    answer: v.array(pluginRecord),
    handle: ({ caller, options }) => options.admin.listPlugins(caller),
  }),
];
