CREATE TABLE `intents` (
	`name` text PRIMARY KEY NOT NULL,
	`own` blob NOT NULL,
	`revision` integer NOT NULL,
	`owner` text NOT NULL,
	`changed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `drift_results` (
	`device` text NOT NULL,
	`intent` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`revision` integer NOT NULL,
	`hash` text NOT NULL,
	`compare` text,
	`part` text NOT NULL,
	`version` integer,
	`checked_at` integer NOT NULL,
	`since` integer,
	`sections` text NOT NULL,
	`changes` text,
	`unmatched` integer NOT NULL,
	`fix` text,
	`rounds` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`device`, `intent`)
);
--> statement-breakpoint
CREATE INDEX `drift_results_intent` ON `drift_results` (`intent`,`state`);--> statement-breakpoint
CREATE TABLE `drift_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`device` text NOT NULL,
	`intent` text NOT NULL,
	`section` text NOT NULL,
	`kind` text NOT NULL,
	`line` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `drift_lines_device` ON `drift_lines` (`device`,`intent`);--> statement-breakpoint
CREATE INDEX `drift_lines_line` ON `drift_lines` (`intent`,`section`,`kind`,`line`);--> statement-breakpoint
CREATE TABLE `drift_due` (
	`device` text PRIMARY KEY NOT NULL,
	`mark` integer NOT NULL,
	`taken_t` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `drift_due_t` ON `drift_due` (`taken_t`);--> statement-breakpoint
CREATE TRIGGER `drift_due_of_version` AFTER INSERT ON `config_versions`
WHEN new.state = 'good' AND new.part IN ('running', 'set') AND EXISTS (SELECT 1 FROM `intents`) BEGIN
	INSERT INTO `drift_due` (`device`, `mark`)
	SELECT `name`, 1 FROM `config_devices` WHERE id = new.device
	ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
END;
--> statement-breakpoint
CREATE TRIGGER `drift_due_of_fix` AFTER UPDATE OF `after_version` ON `change_targets`
WHEN new.after_version IS NOT NULL AND EXISTS (
	SELECT 1 FROM `drift_results` WHERE device = lower(new.device) AND fix = new.change_id) BEGIN
	INSERT INTO `drift_due` (`device`, `mark`) VALUES (lower(new.device), 1)
	ON CONFLICT (`device`) DO UPDATE SET `mark` = `mark` + 1, `taken_t` = 0;
END;
