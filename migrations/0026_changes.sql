CREATE TABLE `changes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`holder` text NOT NULL,
	`submitter_kind` text NOT NULL,
	`submitter` text NOT NULL,
	`ticket` text,
	`state` text NOT NULL,
	`reason` text,
	`revision` integer NOT NULL,
	`hash` text,
	`step` integer NOT NULL,
	`wave` integer NOT NULL,
	`round` integer NOT NULL,
	`phase` text,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`expires_at` integer,
	`needed` integer NOT NULL,
	`plan` text,
	`request` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `changes_open` ON `changes` (`state`) WHERE `ended_at` IS NULL;--> statement-breakpoint
CREATE TABLE `change_texts` (
	`change_id` text NOT NULL,
	`sha256` text NOT NULL,
	`revision` integer NOT NULL,
	`lines` blob NOT NULL,
	PRIMARY KEY(`change_id`, `sha256`)
);
--> statement-breakpoint
CREATE TABLE `change_targets` (
	`change_id` text NOT NULL,
	`position` integer NOT NULL,
	`device` text NOT NULL,
	`host` text NOT NULL,
	`wave` integer NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`sha256` text NOT NULL,
	`touched` integer,
	`before_version` integer,
	`after_version` integer,
	`job_id` text,
	`return_job_id` text,
	PRIMARY KEY(`change_id`, `position`)
);
--> statement-breakpoint
CREATE INDEX `change_targets_device` ON `change_targets` (`device`);--> statement-breakpoint
CREATE TABLE `change_votes` (
	`change_id` text NOT NULL,
	`revision` integer NOT NULL,
	`person_id` text NOT NULL,
	`person` text NOT NULL,
	`verdict` text NOT NULL,
	`note` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`change_id`, `revision`, `person_id`)
);
--> statement-breakpoint
CREATE TABLE `change_steps` (
	`change_id` text NOT NULL,
	`n` integer NOT NULL,
	`at` integer NOT NULL,
	`what` text NOT NULL,
	`who` text,
	`detail` text,
	PRIMARY KEY(`change_id`, `n`)
);
--> statement-breakpoint
ALTER TABLE `bulks` ADD `change_id` text;--> statement-breakpoint
ALTER TABLE `bulks` ADD `change_part` text;--> statement-breakpoint
CREATE UNIQUE INDEX `bulks_change` ON `bulks` (`change_id`,`change_part`) WHERE `change_id` IS NOT NULL;
