/** What to look at before lines are sent that change a configuration into another one. */
import type { Doubt } from "../../configtree/remediate.ts";

export const warningOf: Readonly<Record<Doubt, string>> = {
  ordered:
    "lines whose order counts differ (access lists, policies): those that are added stand behind those that stay",
  certificates: "certificates differ: no line restores them, and they are left out",
  sections:
    "whole sections are removed: an interface that is hardware stays, and the device refuses that line",
  gap: "a list whose order counts is written anew: for a moment it is not there",
  files:
    "files that the version does not have stay, as it is not known whether they were read then: the lines that would remove them are comments",
  stays: "lines are not wanted that nothing removes: they stay",
};
