ALTER TABLE `changes` ADD `slice_from` integer;--> statement-breakpoint
ALTER TABLE `changes` ADD `slice_to` integer;
