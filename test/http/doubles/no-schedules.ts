/** Schedules of which there are none. */

import type { ScheduleRecord } from "../../../src/api/schedules/schedule.ts";
import type { Schedules } from "../../../src/schedules/port.ts";
import { doubleOf } from "./double.ts";

export const scheduleRecord: ScheduleRecord = {
  id: "schedule-1",
  name: "nightly",
  enabled: true,
  state: "active",
  cron: "0 3 * * *",
  time_zone: "Europe/Berlin",
  what: { kind: "query", request: { driver: "netmiko", command: "show version", devices: [{ host: "r1" }] } },
  overlap: "skip",
  missed: { policy: "skip", most: 10 },
  owner: { kind: "key", key_id: "id-admin", name: "name-admin", scope: "admin" },
  created_at: "2026-01-01T00:00:00.000+00:00",
  changed_at: "2026-01-01T00:00:00.000+00:00",
  revision: 1,
  next: ["2026-01-02T02:00:00.000+00:00"],
  last: null,
};

export const noSchedules = doubleOf<Schedules>({
  list: async () => ({ schedules: [], next: undefined }),
  add: async () => scheduleRecord,
  preview: async () => ({ next: scheduleRecord.next }),
});
