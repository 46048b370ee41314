CREATE TABLE `firings` (
	`schedule_id` text NOT NULL,
	`due_at` integer NOT NULL,
	`owner` text NOT NULL,
	`status` text NOT NULL,
	`overlap` text NOT NULL,
	`manual` integer NOT NULL,
	`fired_at` integer,
	`node` text,
	`generation` integer,
	`claim_t` integer,
	`bulk_id` text,
	`reason` text,
	`spec` text,
	`request` blob,
	PRIMARY KEY(`schedule_id`, `due_at`)
);
--> statement-breakpoint
CREATE INDEX `firings_open` ON `firings` (`status`) WHERE status in ('waiting', 'submitting');--> statement-breakpoint
CREATE TABLE `schedules` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`why` text,
	`spec` text NOT NULL,
	`request` blob,
	`anchor` integer NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`next_due` integer,
	`next_at` integer,
	`armed_at` integer NOT NULL,
	`last_bulk` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `schedules_name` ON `schedules` (`owner`,`name`);--> statement-breakpoint
CREATE INDEX `schedules_next` ON `schedules` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX `schedules_armed` ON `schedules` (`armed_at`) WHERE next_at is not null;--> statement-breakpoint
ALTER TABLE `jobs` ADD `window_end` integer;