/** Reloads what a page shows of changes when something happens to them, or jobs end while one works. */
import { type ChangeState, workingChanges } from "../../api/changes/change.ts";
import { isFinal } from "../../api/jobs/job.ts";
import { useChanges, useEvents } from "./live.ts";
import { useSoon } from "./refreshed.ts";

/**
 * @param path of the events
 * @param states of the changes on the page
 */
export function useChangeNews(path: string, reload: () => void, states: readonly ChangeState[]): void {
  const soon = useSoon(reload);
  useEvents(path, { change: soon, reset: soon }, undefined, soon);
  const isWorking = states.some((state) => workingChanges.includes(state));
  useChanges((jobs) => {
    if (isWorking && jobs.some(({ status }) => isFinal(status))) soon();
  });
}
