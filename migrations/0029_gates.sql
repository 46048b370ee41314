ALTER TABLE `changes` ADD `judging` text;
