create database rooms owner latchkey;
