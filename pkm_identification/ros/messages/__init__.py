"""Messages in and out: conversion, and reading and writing them as bytes."""
