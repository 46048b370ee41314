/** The settings of this service and the licences of its parts. */
import * as v from "valibot";
import { licence, setting } from "../../../api/admin/setting.ts";
import { ServiceError } from "../../../base/errors.ts";
import { route } from "../../route.ts";

export const settingRoutes = [
  route({
    id: "listSettings",
    method: "GET",
    path: "/settings",
    scope: "admin",
    summary: "List the settings in force, with the origin of each",
    answer: v.array(setting),
    handle({ caller, options }) {
      // They contain paths and addresses of the service.
      if (caller.hosts.length > 0)
        throw new ServiceError("Forbidden", "Reading settings needs an admin key that may reach all hosts.");
      return options.settings();
    },
  }),
  route({
    id: "listLicenses",
    method: "GET",
    path: "/licenses",
    scope: "read",
    summary: "List the licences of all parts of the program",
    answer: v.array(licence),
    handle: ({ options }) => options.licences(),
  }),
];
