/** Reloads what a page shows of configurations when there is a new version, or jobs have ended. */
import { useEffect, useRef } from "preact/hooks";
import { isFinal } from "../api/job.ts";
import { useChanges, useEvents } from "./live.ts";

/** Changes within this time are read together. */
const restMs = 1_000;

export function useRefreshed(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const soon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, restMs);
  };
  useEvents("/history/change/events", { version: soon });
  // A take that fails, or finds nothing new, makes no version.
  useChanges((changes) => {
    if (changes.some(({ status }) => isFinal(status))) soon();
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
